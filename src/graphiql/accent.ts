import { operator } from '../web/operator.ts'

const DEFAULT = '#4f46e5'
/** In dark colours the accent is at least this light, in percent. */
const MIN_LIGHT = 78

/**
 * Gives GraphiQL the operator's colour. Its style sheet wants the parts of hsl(), in one variable
 * for each scheme.
 */
export function colourGraphiQL(): void {
  const { style } = document.documentElement
  const [hue, saturation, light] = hslOf(operator.color ?? DEFAULT)
  const parts = (lightness: number) => `${hue}, ${saturation}%, ${lightness}%`
  style.setProperty('--primary-light', parts(light))
  style.setProperty('--primary-dark', parts(Math.max(light, MIN_LIGHT)))
}

function hslOf(colour: string): [number, number, number] {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(
    (at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255,
  )
  const [most, least] = [Math.max(red, green, blue), Math.min(red, green, blue)]
  const [light, spread] = [(most + least) / 2, most - least]
  if (spread === 0) return [0, 0, Math.round(light * 100)]
  const hues = new Map([
    [blue, (red - green) / spread + 4],
    [green, (blue - red) / spread + 2],
    [red, (green - blue) / spread],
  ])
  const hue = ((hues.get(most) ?? 0) * 60 + 360) % 360
  const saturation = spread / (1 - Math.abs(2 * light - 1))
  return [Math.round(hue), Math.round(saturation * 100), Math.round(light * 100)]
}

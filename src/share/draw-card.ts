import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { renderAsync } from '@resvg/resvg-js'
import { blo } from 'blo'
import satori from 'satori'
import type { Figure } from './standing.ts'

/** The text of a card. */
export interface Card {
  name: string
  color: string
  /** Whose identicon stands before the title. Undefined for the card of the program. */
  address: string | undefined
  title: string
  /** The largest text, and a smaller one after it. */
  lead: string
  note: string
  figures: Figure[]
  date: string
}

export const WIDTH = 1200
export const HEIGHT = 630

const WEIGHTS = [400, 600] as const
const SUBSETS = { Inter: 'latin', InterExt: 'latin-ext', InterCyr: 'cyrillic', InterGreek: 'greek' }
const FAMILIES = Object.keys(SUBSETS).join(', ')

let fonts: ReturnType<typeof readFonts> | undefined

/** Draws a card as a PNG of 1200 x 630. The pixels are computed on another thread. */
export async function drawCard(card: Card): Promise<Buffer> {
  fonts ??= readFonts()
  const svg = await satori(layoutOf(card) as unknown as Parameters<typeof satori>[0], {
    width: WIDTH,
    height: HEIGHT,
    fonts: await fonts,
  })
  const image = await renderAsync(svg, { font: { loadSystemFonts: false } })
  return image.asPng()
}

async function readFonts() {
  const { resolve } = createRequire(import.meta.url)
  const files = Object.entries(SUBSETS).flatMap(([name, subset]) =>
    WEIGHTS.map(async (weight) => ({
      name,
      weight,
      style: 'normal' as const,
      data: await readFile(
        resolve(`@fontsource/inter/files/inter-${subset}-${weight}-normal.woff`),
      ),
    })),
  )
  return Promise.all(files)
}

type Child = string | Element
interface Element {
  type: string
  props: Record<string, unknown>
}

const box = (style: Record<string, unknown>, ...children: Child[]): Element => ({
  type: 'div',
  props: {
    style: { display: 'flex', ...style },
    children: children.length === 1 ? children[0] : children,
  },
})

const picture = (src: string, size: number, borderRadius: number): Element => ({
  type: 'img',
  props: { src, width: size, height: size, style: { borderRadius } },
})

/** A flat disc in the corner: a PNG of it is a seventh of one with a gradient. */
const disc = (color: string, size: number, opacity: string) =>
  box({
    ...{ position: 'absolute', top: -size / 2, right: -size / 2, width: size, height: size },
    ...{ borderRadius: size / 2, backgroundColor: `${color}${opacity}` },
  })

const LINE = { overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' }
const SOFT = '#d5d9ea'
const MUTED = '#a3aac2'

const markOf = (color: string) =>
  `data:image/svg+xml;base64,${Buffer.from(
    '<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64" viewBox="0 0 32 32" ' +
      'fill="none" stroke="#fff" stroke-width="3.5" stroke-linecap="round">' +
      `<rect width="32" height="32" rx="9" fill="${color}" stroke="none"/>` +
      '<path d="M7 21a9 9 0 0 1 9-9" stroke-opacity=".55"/><path d="M25 11a9 9 0 0 1-9 9"/></svg>',
  ).toString('base64')}`

function layoutOf({ name, color, address, title, lead, note, figures, date }: Card): Element {
  const top = box(
    { justifyContent: 'space-between', alignItems: 'center' },
    box(
      { alignItems: 'center', gap: 20, fontSize: 34, fontWeight: 600 },
      picture(markOf(color), 56, 16),
      box({ maxWidth: 760, ...LINE }, name),
    ),
    box({ fontSize: 26, color: SOFT }, date),
  )
  const icon = address ? [picture(blo(address as `0x${string}`), 64, 32)] : []
  const middle = box(
    { flexDirection: 'column', gap: 14 },
    box(
      { alignItems: 'center', gap: 20, fontSize: 38, color: SOFT },
      ...icon,
      box({ maxWidth: 960, ...LINE }, title),
    ),
    box(
      { alignItems: 'flex-end', gap: 26 },
      box({ fontSize: lead.length > 7 ? 96 : 136, fontWeight: 600, lineHeight: 1.05 }, lead),
      box({ fontSize: 34, color: MUTED, marginBottom: 18, ...LINE }, note),
    ),
  )
  const row = box(
    { borderTop: '2px solid rgba(255,255,255,0.14)', paddingTop: 34, gap: 40 },
    ...figures.map(([label, value]) =>
      box(
        { flexDirection: 'column', width: 330, gap: 8 },
        box({ fontSize: 26, color: MUTED }, label),
        box({ fontSize: value.length > 16 ? 34 : 46, fontWeight: 600 }, value),
      ),
    ),
  )
  return box(
    {
      ...{ width: WIDTH, height: HEIGHT, padding: '58px 72px', flexDirection: 'column' },
      ...{ justifyContent: 'space-between', color: '#ffffff', fontFamily: FAMILIES },
      ...{ boxSizing: 'border-box', position: 'relative', backgroundColor: '#0c1022' },
    },
    disc(color, 900, '33'),
    disc(color, 560, '4d'),
    top,
    middle,
    row,
  )
}

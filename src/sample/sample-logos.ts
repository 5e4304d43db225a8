/** A logo as data: a sign on a circle. */
function drawn(colour: string, sign: string): string {
  const circle = `<circle cx='16' cy='16' r='16' fill='${colour}'/>`
  const svg = `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'>${circle}${sign}</svg>`
  return `data:image/svg+xml,${svg.replace(/[<>#]/g, encodeURIComponent)}`
}

const letter = (text: string) =>
  `<text x='16' y='22' fill='#fff' font-family='sans-serif' font-size='18' font-weight='700' ` +
  `text-anchor='middle'>${text}</text>`
const ring = "<circle cx='16' cy='16' r='12' fill='none' stroke='#fff' stroke-width='2'/>"
const diamond = "<path d='M16 5l7 11-7 4-7-4zm-7 13 7 9 7-9-7 4z' fill='#fff'/>"

/**
 * The logos of some tokens of the sample, by symbol: ours, and not those of the tokens. The others
 * have none.
 */
export const sampleLogos: Record<string, string> = {
  USDC: drawn('#2a6fdb', ring + letter('$')),
  USDT: drawn('#1f8f6f', ring + letter('T')),
  WETH: drawn('#5a6fd6', diamond),
  wstETH: drawn('#1592d0', diamond),
  WBTC: drawn('#d9822b', letter('B')),
  ARB: drawn('#2d4a73', letter('A')),
}

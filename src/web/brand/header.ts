/** The parts of the product, by their addresses, in the order of the bar. */
const PARTS = {
  '/dashboard': 'Dashboard',
  '/graphql': 'GraphiQL',
  '/docs/rest': 'REST',
  '/docs': 'Docs',
}

const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32' fill='none' " +
  "stroke-width='3.5' stroke-linecap='round'%3E%3Crect width='32' height='32' rx='9' " +
  "fill='%234f46e5'/%3E%3Cpath d='M7 21a9 9 0 0 1 9-9' stroke='%23fff' stroke-opacity='.55'/%3E" +
  "%3Cpath d='M25 11a9 9 0 0 1-9 9' stroke='%23fff'/%3E%3C/svg%3E"

/** The head of each page: who runs the gateway, and its icon. */
export const HEAD = `<meta name="color-scheme" content="light dark">
<meta name="identity" content="%IDENTITY%">
<link rel="icon" href="${ICON}">`

const MARK = `<svg width="26" height="26" viewBox="0 0 32 32" fill="none" stroke="#fff" stroke-width="3.5" stroke-linecap="round" aria-hidden="true"><rect width="32" height="32" rx="9" fill="var(--brand)" stroke="none"/><path d="M7 21a9 9 0 0 1 9-9" stroke-opacity=".55"/><path d="M25 11a9 9 0 0 1-9 9"/></svg>`

/**
 * The bar of every page: the name, the parts of the product, and the theme. The gateway writes the
 * name into it.
 * @param current the address of the part that the page belongs to
 * @param tools HTML of the page's own buttons
 */
export function bar(current: string, tools = ''): string {
  const links = Object.entries(PARTS).map(
    ([href, name]) =>
      `<a href="${href}"${href === current ? ' aria-current="true"' : ''}>${name}</a>`,
  )
  return `<a class="skip" href="#content">Skip to the content</a>
<header class="bar"><div>
<a class="brand" href="/dashboard" aria-label="%NAME% dashboard: overview">${MARK}<span>%NAME%</span></a>
<nav aria-label="Product">${links.join('')}</nav>
<div class="tools" id="tools">${tools}</div>
<button type="button" class="theme" hidden></button>
</div></header>`
}

interface Operator {
  /** The name in the header and the titles. */
  name: string
  /** A colour #rrggbb that can be read on white. */
  color?: string
  links: { name: string; href: string }[]
}

/** Who runs this dashboard, by the gateway's settings, which the page brings with it. */
export const operator: Operator = JSON.parse(
  document.querySelector<HTMLMetaElement>('meta[name=identity]')?.content ??
    '{"name":"Lending","links":[]}',
)

if (operator.color) document.documentElement.style.setProperty('--brand', operator.color)

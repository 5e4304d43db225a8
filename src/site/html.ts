import { Marked } from 'marked'

/** Bare addresses are examples more often than links: links are written as such. */
const marked = new Marked({ tokenizer: { url: () => undefined } })

export const escapeHtml = (text: string) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`)

/** Markdown as HTML. */
export const markdown = (text: string) => marked.parse(text, { async: false })

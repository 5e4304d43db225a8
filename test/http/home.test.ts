import { expect, test } from 'vitest'
import { startGateway } from '../support/gateway.ts'

/** The link of `/`, as a browser reads it. */
async function linkOf(env: Record<string, string>) {
  const gateway = await startGateway({ env })
  try {
    const response = await gateway.get('/')
    const html = await response.text()
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(html).toMatch(/^<a href="[^"<>]+">[^"<>]+<\/a>$/)
    const url = new URL(
      /href="([^"]+)"/.exec(html)?.[1]?.replaceAll('&#38;', '&') ?? '',
      response.url,
    )
    const target = url.origin === gateway.base ? await fetch(url) : undefined
    return {
      url: url.href.replace(gateway.base, ''),
      status: target?.status,
      text: await target?.text(),
    }
  } finally {
    await gateway.close()
  }
}

test('/ links to the documentation of the gateway, which is there', async () => {
  const { url, status, text } = await linkOf({})
  expect([url, status]).toEqual(['/docs', 200])
  expect(text).toContain('<title>')
})

test('/ links to WEBSITE_URL', async () => {
  const url = 'https://example.org/?a=1&b=2'
  expect(await linkOf({ WEBSITE_URL: url })).toMatchObject({ url })
})

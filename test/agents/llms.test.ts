import { once } from 'node:events'
import { request } from 'node:http'
import * as consumers from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { startGateway } from '../support/gateway.ts'

/** The overview for language models, at the root. */

const linksOf = (text: string) => [...text.matchAll(/\]\((\S+?)\)/g)].map(([, url]) => url ?? '')

test('/llms.txt is small, and each of its links leads to the gateway that was asked', async () => {
  const gateway = await startGateway()
  try {
    const response = await gateway.get('/llms.txt')
    const text = await response.text()
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(text).toMatch(/^# \S.*\n\n> \S/)
    expect(text.length).toBeLessThan(3000)
    const links = linksOf(text)
    expect(links).toContain(`${gateway.base}/docs/llms.txt`)
    for (const link of links) {
      expect(link.startsWith(`${gateway.base}/`), link).toBe(true)
      const url = link.endsWith('/graphql') ? `${link}?query={__typename}` : link
      expect([link, (await fetch(url)).status]).toEqual([link, 200])
    }
  } finally {
    await gateway.close()
  }
})

test('/llms.txt has the name and the prefix of the operator, and takes no other method', async () => {
  const env = { DASHBOARD_NAME: 'Night Bank', BASE_PATH: '/lend' }
  const gateway = await startGateway({ env })
  try {
    const text = await (await fetch(`${gateway.base}/lend/llms.txt`)).text()
    expect(text.split('\n')[0]).toBe('# Night Bank')
    for (const link of linksOf(text)) expect(link).toContain('/lend/')
    const refused = await fetch(`${gateway.base}/lend/llms.txt`, { method: 'POST' })
    expect(refused.status).toBe(405)
    expect(refused.headers.get('allow')).toContain('GET')
  } finally {
    await gateway.close()
  }
})

test('a host that is not one is not written into the links of /llms.txt', async () => {
  const gateway = await startGateway()
  try {
    const text = await textFor(gateway.base, 'a.example)<script>')
    expect(text).not.toContain('script')
    expect(linksOf(text)).toContain('/docs/llms.txt')
  } finally {
    await gateway.close()
  }
})

async function textFor(base: string, host: string): Promise<string> {
  const sent = request(`${base}/llms.txt`, { headers: { host } }).end()
  const [response] = await once(sent, 'response')
  return consumers.text(response)
}

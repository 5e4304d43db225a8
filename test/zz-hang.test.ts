import { test } from 'vitest'
import { subscribe } from '/work/main/test/support/events.ts'
import { startGateway } from '/work/main/test/support/gateway.ts'
test('x', async () => {
  const g = await startGateway({ env: { MAX_SUBSCRIPTIONS: '2' } })
  const q = 'subscription { dataChanged { version } }'
  const a = await subscribe(g, q); const b = await subscribe(g, q)
  const r = await subscribe(g, q)
  console.log(r.response.status); await r.next(); console.log(r.text(), r.ended())
  await new Promise(r=>setTimeout(r,500)); console.log(r.ended())
  a.leave()
  await new Promise(r=>setTimeout(r,500))
  const t = Date.now()
  const p = g.close().then(()=>console.log('closed', Date.now()-t))
  await new Promise(r=>setTimeout(r,3000))
  console.log((process as any)._getActiveHandles().filter((h:any)=>h.localPort==Number(new URL(g.base).port)).map((h:any)=>[h.readableEnded,h.writableEnded,h.writableFinished, h.readable, h.writable, h._httpMessage?.constructor.name, h._httpMessage?.req?.url, h._httpMessage?.req?.method, h._httpMessage?.writableEnded, h._httpMessage?.finished, h._httpMessage?._header, h.timeout]))
  console.log((process as any)._getActiveHandles().map((h:any)=>h.constructor.name+' '+(h.remotePort??'')+' '+(h.localPort??'')+' destroyed='+h.destroyed))
  await p
}, 10000)

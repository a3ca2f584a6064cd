import { expect, onTestFinished, test } from 'vitest'
import { settings } from '../../../lib/settings.ts'
import { fetchStatusList } from '../../../lib/status-list/fetch-list.ts'
import { stopAtEnd } from '../../support/stop-at-end.ts'
import { type Behaviour, startFaultyReceiver } from '../../support/webhooks/faulty-receiver.ts'

const receiver = await stopAtEnd(startFaultyReceiver())
const uri = `${receiver.url}/list`
const to = (location: string): Behaviour => ({ status: 302, headers: { location } })

test('a list is requested by its media type, also after a redirect', async () => {
  receiver.behave(to('/moved'), { status: 200, body: 'a.b.c' })
  expect(await fetchStatusList(uri)).toBe('a.b.c')
  const accept = 'application/statuslist+jwt'
  expect(receiver.received).toMatchObject([
    { path: '/list', headers: { accept } },
    { path: '/moved', headers: { accept } },
  ])
})

test.each<[string, Behaviour, string]>([
  ['a redirect into the cloud', to('http://169.254.169.254/latest/meta-data'), 'its address is not allowed'],
  ['an endless redirect', to('/list'), 'fetched: 302'],
  ['an endless body', 'endless body', 'over 2000000 bytes'],
  ['over 2 MB', { status: 200, body: 'a'.repeat(2_000_001) }, 'over 2000000 bytes'],
  ['a missing list', { status: 404, body: 'a.b.c' }, 'fetched: 404'],
  ['no content', { status: 204 }, 'fetched: 204'],
  ['half a body', 'reset amid the body', 'fetched: reset'],
])('%s is unreadable', async (_, behaviour, message) => {
  receiver.behave(behaviour)
  await expect(fetchStatusList(uri)).rejects.toThrow(/^unreadable: /)
  await expect(fetchStatusList(uri)).rejects.toThrow(message)
})

test.each(['http://issuer.example/', 'file:///etc/passwd', 'https://10.0.0.1/', 'nothing'])(
  'nothing is sent to %s by a deployed service',
  async (uri) => {
    settings().LOCAL_STAGE = false
    onTestFinished(() => {
      settings().LOCAL_STAGE = true
    })
    await expect(fetchStatusList(uri)).rejects.toThrow('unreadable: its address is not allowed')
  },
)

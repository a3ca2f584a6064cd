/** The certificate of a stage with TLS: for which names, and when another one is made. */
import { X509Certificate } from 'node:crypto'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { localCertificate } from '../../../infra/local/certificate.ts'
import { temporaryFolder } from '../../support/stage/folder.ts'

const URLS = ['https://localhost:3000', 'https://agent.example.org/base']

let folder: string

beforeEach(async () => {
  const temporary = await temporaryFolder()
  onTestFinished(() => temporary[Symbol.asyncDispose]())
  folder = join(temporary.path, 'tls')
})

const certificatesOf = async (urls = URLS): Promise<X509Certificate[]> => {
  const { path } = await localCertificate(folder, urls)
  const pems = (await readFile(path, 'utf8')).split(/(?<=-----END CERTIFICATE-----\n)/)
  return pems.map((pem) => new X509Certificate(pem))
}

/** Which one is shown. */
const shown = async (urls = URLS): Promise<string | undefined> => (await certificatesOf(urls))[0]?.serialNumber

test('it is for this machine and the hosts of the addresses, below a root that signs nothing else', async () => {
  const [leaf, root] = await certificatesOf(['https://[::1]:3000', 'https://agent.example.org', 'localhost:3000'])
  expect(leaf?.subjectAltName).toBe(
    'DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, DNS:agent.example.org',
  )
  expect([leaf?.ca, root?.ca]).toEqual([false, true])
  expect(root && leaf?.verify(root.publicKey) && leaf.checkIssued(root)).toBe(true)
})

test('its files are their owner’s only', async () => {
  await certificatesOf()
  const modes = [folder, join(folder, 'key.pem')].map(async (path) => (await stat(path)).mode & 0o777)
  expect(await Promise.all(modes)).toEqual([0o700, 0o600])
})

test('it stays, for fewer addresses too', async () => {
  const first = await shown()
  expect([await shown(), await shown(URLS.slice(0, 1))]).toEqual([first, first])
})

test.each([
  ['another host', async () => URLS.map((url) => url.replace('example.org', 'example.com'))],
  ['a key that is not its own', async () => void (await writeFile(join(folder, 'key.pem'), 'cut off'))],
  [
    'a month before its end',
    async () => void vi.useFakeTimers({ now: Date.now() + 800 * 86_400_000, toFake: ['Date'] }),
  ],
])('another one is made for %s', async (_, change) => {
  onTestFinished(() => void vi.useRealTimers())
  const first = await shown()
  const urls = await change()
  const second = await shown(urls ?? URLS)
  expect(second).not.toBe(first)
  expect(await shown(urls ?? URLS)).toBe(second)
})

test('an unusable folder is reported in one line', async () => {
  await writeFile(folder, '')
  await expect(certificatesOf()).rejects.toThrow(/^\S+\/tls\/cert\.pem cannot be created: .+$/)
})

/** A start reads little, and modules that it does not read can be loaded later. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { type Bundle, bundle } from '../../infra/bundle/bundle.ts'
import { sizeOf, type Unpacked } from '../support/bench/bundles.ts'
import { filesAtStart } from '../support/bench/read-at-start.ts'
import { exportOf } from '../support/source/operation-functions.ts'

/** By function: of what Node reads before the handler is there, in KiB. */
const MAX_AT_START: Record<string, number> = {
  'get-credential-by-id': 238,
  'create-request': 1755,
  'receive-didcomm': 1775,
}

/** Of a.example, self-signed, with a key on P-256. */
const CERTIFICATE =
  `MIIBkjCCATmgAwIBAgIUd3BXsn+jYsZjcoJN1o8+k+eZNHkwCgYIKoZIzj0EAwIwFDESMBAGA1UEAwwJYS5leGFtcGxlMB4XDTI2
MTEyNDAwNDg1OVoXDTM2MTEyMTAwNDg1OVowFDESMBAGA1UEAwwJYS5leGFtcGxlMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEWUpuWDTtVhVJoIJx10O6
nYxm1jNK4wgHyf42wCaStkidNTCavB0vkAv+iQG6lzamcmF5FxNt97ms9W/BmAJQ56NpMGcwHQYDVR0OBBYEFKY1NhTHPcP49rtzrhbWZTNi5GIyMB8GA1Ud
IwQYMBaAFKY1NhTHPcP49rtzrhbWZTNi5GIyMA8GA1UdEwEB/wQFMAMBAf8wFAYDVR0RBA0wC4IJYS5leGFtcGxlMAoGCCqGSM49BAMCA0cAMEQCIHytojf1
bDn3wPL6HuQ99gkeAIHxYhqvBYj8kVA5wcXsAiBu8dPNwX28au7s91+dcMh0kx+EHntN/NzFUAuOZ2SCiw==`.replaceAll('\n', '')

/** The result of `script`, an expression of a promise, beside these files. In a separate process, since a bundle removes `fetch`. */
const inProcess = async (files: Bundle['files'], script: string): Promise<unknown> => {
  const folder = await mkdtemp(join(tmpdir(), 'bundle-'))
  for (const [name, contents] of Object.entries(files)) await writeFile(join(folder, name), contents)
  const code = `${script}.then((result) => console.log(JSON.stringify(result)))`
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', code], { cwd: folder })
  await rm(folder, { recursive: true })
  return JSON.parse(stdout)
}

export const testStart = (unpacked: () => Unpacked): void => {
  test.each(Object.entries(MAX_AT_START))(
    '%s reads at most %i KiB at start, and starts with nothing else',
    async (name, max) => {
      const found = unpacked().functions.get(name)
      const files = found === undefined ? {} : filesAtStart(found)
      expect(sizeOf(files) / 1024).toBeLessThanOrEqual(max)
      await expect(inProcess(files, `import('./index.mjs').then(Object.keys)`)).resolves.toEqual([exportOf(name)])
    },
  )

  test('a bundle reads certificates, by modules that it loads lazily', async () => {
    const { files } = await bundle(resolve(import.meta.dirname, '../..'), 'test/bundles/late-keys.ts')
    await expect(
      inProcess(files, `import('./index.mjs').then(({ keyOf }) => keyOf('${CERTIFICATE}'))`),
    ).resolves.toEqual({
      kty: 'EC',
      crv: 'P-256',
      x: 'WUpuWDTtVhVJoIJx10O6nYxm1jNK4wgHyf42wCaStkg',
      y: 'nTUwmrwdL5AL_okBupc2pnJheRcTbfe5rPVvwZgCUOc',
    })
  })
}

/** Whether a deployment has AnonCreds' native library: the function's own folder says it, or else the setting. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { assertAnonCredsDeployed } from '../../lib/anoncreds-library.ts'
import { type Settings, settings } from '../../lib/settings.ts'

const UNAVAILABLE = expect.objectContaining({ code: 'anoncreds.unavailable' })

const assertDeployedWith = (changes: Partial<Settings>) => () => {
  Object.assign(settings(), changes)
  assertAnonCredsDeployed()
}

test('a folder has it or not, whatever the setting says', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'library-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  expect(assertDeployedWith({ LIB_ANONCREDS_PATH: folder, ANONCREDS: 'on' })).toThrow(UNAVAILABLE)
  for (const name of ['libanoncreds.so', 'libanoncreds.dylib', 'anoncreds.dll']) await writeFile(join(folder, name), '')
  expect(assertDeployedWith({ LIB_ANONCREDS_PATH: folder, ANONCREDS: 'off' })).not.toThrow()
})

test('the setting says it where the function has no such folder', () => {
  expect(assertDeployedWith({ LIB_ANONCREDS_PATH: undefined, ANONCREDS: 'on' })).not.toThrow()
  expect(assertDeployedWith({ LIB_ANONCREDS_PATH: undefined, ANONCREDS: 'off' })).toThrow(UNAVAILABLE)
})

/** Where AnonCreds' native library is in the functions' zips, and what happens where there is none to pack. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { needsLibrary } from '../../../../infra/anoncreds/functions.ts'
import Bundles from '../../../../infra/plugins/bundle.ts'
import type { Serverless } from '../../../../infra/service.ts'
import { serviceFolder, temporaryFolder } from '../../../support/stage/folder.ts'
import { ofType } from '../../../support/stage/template.ts'
import { functions, resources } from './packaged.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

const LIBRARY_FOLDER = '/var/task'

test('only functions with the library have its path in their environment', () => {
  const told = ofType(resources, 'AWS::Lambda::Function').flatMap(([, { Properties }]) =>
    Object(Properties.Environment).Variables.LIB_ANONCREDS_PATH === LIBRARY_FOLDER ? [Properties.FunctionName] : [],
  )
  const needed = Object.values(functions).filter(({ handler }) => needsLibrary(handler.replace(/\.\w+$/, '')))
  expect(needed.length).toBeGreaterThan(1)
  expect(told.sort()).toEqual(needed.map(({ name }) => name).sort())
})

/** Packages a function that has the library for processors that there is none for. */
const packageIn = (serviceDir: string, handler = 'functions/run-jobs.runJobs'): Promise<void> => {
  const provider = { architecture: 'riscv64' }
  const serverless = { serviceDir, service: { functions: { runJobs: { handler } }, provider }, classes: { Error } }
  const { hooks } = new Bundles({ ...serverless, processedInput: { commands: ['package'] } } as unknown as Serverless)
  return hooks['before:package:createDeploymentArtifacts']?.() ?? Promise.reject(new Error('no hook'))
}

test('without the library nothing is packaged, and the error names the command that installs it', async () => {
  await using folder = await temporaryFolder()
  await expect(packageIn(folder.path)).rejects.toThrow(
    /^anoncreds: .*npm run anoncreds -- --arch riscv64 installs it, ANONCREDS=off/,
  )
  expect(await readdir(folder.path)).toEqual([])
})

test('ANONCREDS=off packages without it', async () => {
  vi.stubEnv('ANONCREDS', 'off')
  await using folder = await serviceFolder({})
  await packageIn(folder.path)
  expect(await readdir(join(folder.path, '.serverless'))).toContain('runJobs.zip')
})

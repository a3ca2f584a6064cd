/** The folder of DATA_DIR: made when it is not there, and for one stage at a time. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { lockDataFolder } from '../../../infra/local/data-folder.ts'
import { temporaryFolder } from '../../support/stage/folder.ts'
import { waitFor } from '../../wallet/wait.ts'

const newFolder = async (): Promise<string> => {
  const folder = await temporaryFolder()
  onTestFinished(() => folder[Symbol.asyncDispose]())
  return folder.path
}

test('it is made, for its owner only', async () => {
  const folder = join(await newFolder(), 'a', 'b')
  using _ = await lockDataFolder(folder)
  expect((await stat(folder)).mode & 0o777).toBe(0o700)
})

test('a second stage does not get it', async () => {
  const folder = await newFolder()
  using _ = await lockDataFolder(folder)
  await expect(lockDataFolder(folder, 0)).rejects.toThrow(`DATA_DIR=${folder}: another stage uses it`)
})

test('a stage may still be ending while the next one starts, which reports immediately that it waits', async () => {
  const said = vi.spyOn(console, 'error').mockImplementation(() => {})
  onTestFinished(() => said.mockRestore())
  const folder = await newFolder()
  const hold = `
    import { lockDataFolder } from ${JSON.stringify(new URL('../../../infra/local/data-folder.ts', import.meta.url))}
    const lock = await lockDataFolder(${JSON.stringify(folder)})
    console.log('locked')
    process.stdin.resume().on('end', () => process.exit(Number(lock === undefined)))`
  const ending = spawn(process.execPath, ['--input-type=module', '-e', hold], { stdio: ['pipe', 'pipe', 'inherit'] })
  await once(ending.stdout, 'data')
  const patient = lockDataFolder(folder, Number.POSITIVE_INFINITY)
  await waitFor('it to be said', () => said.mock.calls.length > 0)
  ending.stdin.end()
  using next = await patient
  expect(next).toBeDefined()
  expect(said.mock.calls).toEqual([[`DATA_DIR=${folder}: another stage uses it`]])
})

test('the next stage gets it', async () => {
  const folder = await newFolder()
  for (let time = 0; time < 2; time++) (await lockDataFolder(folder))[Symbol.dispose]()
  using again = await lockDataFolder(folder)
  expect(again).toBeDefined()
})

test('a path that is not a folder is reported in one line', async () => {
  const file = join(await newFolder(), 'file')
  await writeFile(file, '')
  await expect(lockDataFolder(file)).rejects.toThrow(/^DATA_DIR=\S+file: .+$/)
})

/** `npm start` where nobody has called `npm run anoncreds`: one line says so, and everything else works. */
import { afterAll, expect, test } from 'vitest'
import { temporaryFolder } from '../support/stage/folder.ts'
import { endPrograms, runProgram } from '../support/stage/program.ts'
import { npmStart, whenReady } from '../support/stage/started.ts'

afterAll(endPrograms)

test('a stage without the library says what brings it, in one line, and works', async () => {
  await using folder = await temporaryFolder()
  const { lines, program } = await whenReady(npmStart({ env: { LIB_ANONCREDS_PATH: folder.path } }))
  expect(lines).toHaveLength(6)
  expect(lines[0]).toMatch(/^AnonCreds is off: .*npm run anoncreds/)
  const { code, stdout } = await runProgram('sh', ['-c', `${lines[4]} --silent --fail`])
  expect({ code, answer: JSON.parse(stdout) }).toEqual({
    code: 0,
    answer: expect.objectContaining({ proofRecordId: expect.any(String) }),
  })
  program.interrupt()
  expect((await program.ended()).stderr).toBe('')
})

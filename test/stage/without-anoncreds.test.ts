/** `npm start` where nobody has called `npm run anoncreds`: one line says so, and everything else works. */
import { afterAll, expect, test } from 'vitest'
import { temporaryFolder } from '../support/stage/folder.ts'
import { endPrograms, runProgram } from '../support/stage/program.ts'
import { npmStart, whenReady } from '../support/stage/started.ts'

afterAll(endPrograms)

const attributes = { degree: { name: 'degree', restrictions: [{ schema_name: 'degree' }] } }
const anonCreds = { name: 'Degree', version: '1.0', requested_attributes: attributes, requested_predicates: {} }
const ANONCREDS_REQUEST = { protocolVersion: 'v2', proofFormats: { indy: anonCreds, anoncreds: anonCreds } }

test('a stage without the library says what brings it, in one line, and works: it asks for AnonCreds, too', async () => {
  await using folder = await temporaryFolder()
  const { lines, program, baseUrl, rootToken } = await whenReady(npmStart({ env: { LIB_ANONCREDS_PATH: folder.path } }))
  expect(lines).toHaveLength(7)
  expect(lines[0]).toMatch(/^AnonCreds is off: .*npm run anoncreds/)
  const { code, stdout } = await runProgram('sh', [
    '-c',
    `${lines.find((line) => line.includes('create-request-oob'))} --silent --fail`,
  ])
  expect({ code, answer: JSON.parse(stdout) }).toEqual({
    code: 0,
    answer: expect.objectContaining({ proofRecordId: expect.any(String) }),
  })

  const asked = await fetch(`${baseUrl}/proofs/create-request-oob`, {
    method: 'POST',
    headers: { authorization: `Bearer ${rootToken}`, 'content-type': 'application/json' },
    body: JSON.stringify(ANONCREDS_REQUEST),
  })
  expect({ status: asked.status, body: await asked.json() }).toMatchObject({
    status: 200,
    body: { proofRecordId: expect.any(String) },
  })

  program.interrupt()
  expect((await program.ended()).stderr).toBe('')
})

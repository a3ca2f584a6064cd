/** `npm start`: its output, that its lines work when pasted, and that it leaves nothing behind. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { hasLibrary } from '../support/anoncreds/library.ts'
import { requestBody } from '../support/scenes.ts'
import { temporaryFolder } from '../support/stage/folder.ts'
import { askStage } from '../support/stage/party.ts'
import { type Process, processTree, stillRunning } from '../support/stage/processes.ts'
import { endPrograms, runProgram } from '../support/stage/program.ts'
import { npmStart, type StartedStage, whenReady } from '../support/stage/started.ts'
import { handMade, unknownKid } from '../support/wallets/hand-made-envelope.ts'
import { startFaultyReceiver } from '../support/webhooks/faulty-receiver.ts'
import { waitFor } from '../wallet/wait.ts'

afterAll(endPrograms)

const whenGone = (processes: Process[]): Promise<true> =>
  waitFor(
    `${processes.map(({ command }) => command.slice(0, 60))} to be gone`,
    () => stillRunning(processes).length === 0,
  )

/** The status for an envelope without a known recipient: the tenant is looked for first. */
const knock = async (baseUrl: string, tenantId: string, envelope: object): Promise<number> => {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${baseUrl}/didcomm/${tenantId}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(envelope),
  })
  return answer.status
}

let stage: StartedStage
let processes: Process[]
let tenantId: string

beforeAll(async () => {
  stage = await whenReady(npmStart())
  processes = processTree(stage.program.pid)
})

test('npm start says where it is, a root token, the reference and three lines to paste, and nothing else', () => {
  expect(stage.lines).toEqual([
    ...(hasLibrary ? [] : [expect.stringContaining('npm run anoncreds')]),
    expect.stringMatching(/^Base URL: {3}http:\/\/127\.0\.0\.1:\d+$/),
    expect.stringMatching(/^Root token: [\w-]+\.[\w-]+\.[\w-]+$/),
    expect.stringMatching(/^Reference: {2}http:\/\/127\.0\.0\.1:\d+\/docs$/),
    expect.stringMatching(/^curl /),
    expect.stringMatching(/^curl /),
    expect.stringMatching(/^curl /),
  ])
  expect(stage.program.stderr()).toBe('')
})

test.each([
  [-3, expect.objectContaining({ status: 'ok' })],
  [-2, expect.objectContaining({ invitationUrl: expect.stringContaining('?oob='), proofRecordId: expect.any(String) })],
  [-1, []],
])('line %i from the end works when pasted', async (index, answer) => {
  const { code, stdout } = await runProgram('sh', ['-c', `${stage.lines.at(index)} --silent --fail`])
  expect({ code, answer: JSON.parse(stdout) }).toEqual({ code: 0, answer })
})

test('it listens on loopback only', async () => {
  const { port } = new URL(stage.baseUrl)
  // 127.0.0.2 is this machine, too, but it does not listen there.
  await expect(fetch(`http://127.0.0.2:${port}/health`)).rejects.toThrow()
})

test('a token of npm run token is accepted, and creates a tenant', async () => {
  const { stdout: token } = await runProgram('npm', ['run', '-s', 'token'])
  const headers = { authorization: `Bearer ${token.trim()}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ config: { label: 'Acme' } })
  const created = await fetch(`${stage.baseUrl}/multi-tenancy/create-tenant`, { method: 'POST', headers, body })
  expect(created.ok).toBe(true)
  tenantId = Object(await created.json()).id
  expect(await knock(stage.baseUrl, tenantId, handMade({ kid: unknownKid() }))).toBe(400)
  expect(await knock(stage.baseUrl, tenantId, {})).toBe(400)
  await stage.program.says(/the body is not a DIDComm envelope/)
})

test('Ctrl-C ends it without another word, and leaves no process', async () => {
  const commands = processes.map(({ command }) => command)
  expect(commands).toContainEqual(expect.stringMatching(/^npm /))
  expect(commands).toContainEqual(expect.stringMatching(/dynoxide serve/))
  const said = stage.program.stdout()
  stage.program.interrupt()
  expect(await stage.program.ended()).toMatchObject({ stdout: said, stderr: '' })
  await whenGone(processes)
})

const attributes = { degree: { name: 'degree', restrictions: [{ schema_name: 'degree' }] } }
const anonCreds = { name: 'Degree', version: '1.0', requested_attributes: attributes, requested_predicates: {} }
const ANONCREDS_REQUEST = { protocolVersion: 'v2', proofFormats: { indy: anonCreds, anoncreds: anonCreds } }

test('a second stage has none of its data, and leaves no process when npm alone gets a SIGTERM', async () => {
  await using folder = await temporaryFolder()
  // Where npm run anoncreds was not run.
  const other = await whenReady(npmStart({ env: { LIB_ANONCREDS_PATH: folder.path } }))
  expect(await knock(other.baseUrl, tenantId, handMade({ kid: unknownKid() }))).toBe(404)
  expect(other.lines).toHaveLength(7)
  expect(other.lines[0]).toMatch(/^AnonCreds is off: .*npm run anoncreds/)
  const asked = await fetch(`${other.baseUrl}/proofs/create-request-oob`, {
    method: 'POST',
    headers: { authorization: `Bearer ${other.rootToken}`, 'content-type': 'application/json' },
    body: JSON.stringify(ANONCREDS_REQUEST),
  })
  expect({ status: asked.status, body: await asked.json() }).toMatchObject({
    status: 200,
    body: { proofRecordId: expect.any(String) },
  })

  const others = processTree(other.program.pid)
  // As a supervisor does it: npm's shell ends, and passes no signal on.
  other.program.signal('SIGTERM')
  await whenGone(others)
  expect(other.program.stderr()).toBe('')
})

test('npm alone gets a SIGTERM while it starts: it leaves no process', async () => {
  await using folder = await temporaryFolder()
  const starting = npmStart({ env: { DATA_DIR: folder.path } })
  await waitFor('the stage to look at its folder', () => existsSync(join(folder.path, 'lock.sqlite')))
  const others = processTree(starting.pid)
  expect(others).toContainEqual(expect.objectContaining({ command: expect.stringContaining('start.ts') }))
  starting.signal('SIGTERM')
  await whenGone(others)
  expect(processTree(1).filter(({ command }) => command.includes(folder.path))).toEqual([])
})

describe('without the binary of the database', () => {
  const hide = `import Module from 'node:module'
    const resolve = Module._resolveFilename
    Module._resolveFilename = (name, ...rest) => resolve.call(Module, name.replace(/^@dynoxide/, 'no'), ...rest)`
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(hide)}`

  test('npm start says that the table is in memory, and events arrive', async () => {
    const receiver = await startFaultyReceiver()
    onTestFinished(() => receiver.stop())
    const { program, lines, baseUrl, rootToken } = await whenReady(npmStart({ env: { NODE_OPTIONS } }))
    expect(lines[0]).toMatch(/^The table is in memory and its data are lost when this process ends: /)
    expect(processTree(program.pid).filter(({ command }) => command.includes('dynoxide'))).toEqual([])

    const { id } = await askStage(baseUrl, rootToken, '/multi-tenancy/create-tenant', { config: { label: 'Acme' } })
    const owner = ['run', '-s', 'token', '--', '--role', 'RestTenantAgent', '--tenant', id, '--org', `${id}:owner`]
    const token = (await runProgram('npm', owner)).stdout.trim()
    await askStage(baseUrl, token, `/webhooks/orgs/${id}/register`, { webhookUrl: receiver.url })
    const { proofRecordId } = await askStage(baseUrl, token, '/proofs/create-request-oob', requestBody)
    await waitFor('the event', () => receiver.received.some(({ body }) => body.includes(proofRecordId)))
    program.interrupt()
    expect(await program.ended()).toMatchObject({ stderr: '' })
  })

  test('npm start rejects DATA_DIR, whose data would be lost', async () => {
    await using folder = await temporaryFolder()
    const { code, stderr } = await npmStart({ env: { NODE_OPTIONS, DATA_DIR: folder.path } }).ended()
    expect(code).toBe(1)
    expect(stderr).toMatch(/^DATA_DIR=.*: the table would be in memory, .*DYNAMODB_ENDPOINT.*\n$/)
  })
})

/** `npm start`: what it says, that what it says works when pasted, and that nothing of it is left. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Process, processTree, stillRunning } from '../support/stage-processes.ts'
import { endPrograms, runProgram } from '../support/stage-program.ts'
import { npmStart, type StartedStage, whenReady } from '../support/stage-started.ts'
import { waitFor } from '../wallet/wait.ts'

afterAll(endPrograms)

const whenGone = (processes: Process[]): Promise<true> =>
  waitFor(
    `${processes.map(({ command }) => command.slice(0, 60))} to be gone`,
    () => stillRunning(processes).length === 0,
  )

describe('npm start', () => {
  let stage: StartedStage
  let processes: Process[]

  beforeAll(async () => {
    stage = await whenReady(npmStart())
    processes = processTree(stage.program.pid)
  })

  test('says where it is, a root token and three lines to paste, and nothing else', () => {
    expect(stage.lines).toEqual([
      expect.stringMatching(/^Base URL: {3}http:\/\/127\.0\.0\.1:\d+$/),
      expect.stringMatching(/^Root token: [\w-]+\.[\w-]+\.[\w-]+$/),
      expect.stringMatching(/^curl /),
      expect.stringMatching(/^curl /),
      expect.stringMatching(/^curl /),
    ])
    expect(stage.program.stderr()).toBe('')
  })

  test.each([
    [2, { status: 'ok' }],
    [3, { invitationUrl: expect.stringContaining('?oob='), proofRecordId: expect.any(String) }],
    [4, []],
  ])('line %i works when pasted', async (index, answer) => {
    const { code, stdout } = await runProgram('sh', ['-c', `${stage.lines[index]} --silent --fail`])
    expect(code).toBe(0)
    const body = JSON.parse(stdout)
    expect(body).toEqual(Array.isArray(answer) ? answer : expect.objectContaining(answer))
  })

  test('listens on loopback only', async () => {
    const { port } = new URL(stage.baseUrl)
    await expect(fetch(`http://127.0.0.2:${port}/health`)).rejects.toThrow()
  })

  test('ends by Ctrl-C without another word, and leaves no process', async () => {
    expect(processes.map(({ command }) => command)).toEqual(
      expect.arrayContaining([expect.stringMatching(/^npm /), expect.stringMatching(/dynoxide serve/)]),
    )
    stage.program.interrupt()
    const { stdout, stderr } = await stage.program.ended()
    expect(stdout.trimEnd().endsWith(stage.lines.at(-1) ?? '-')).toBe(true)
    expect(stderr).toBe('')
    await whenGone(processes)
  })
})

describe('another one', () => {
  test('has forgotten what the last one knew, and leaves no process when npm is killed', async () => {
    const first = await whenReady(npmStart())
    const create = (baseUrl: string, rootToken: string) =>
      fetch(`${baseUrl}/multi-tenancy/create-tenant`, {
        method: 'POST',
        headers: { authorization: `Bearer ${rootToken}`, 'content-type': 'application/json' },
        body: JSON.stringify({ config: { label: 'Acme' } }),
      })
    const { id } = (await (await create(first.baseUrl, first.rootToken)).json()) as { id: string }
    // An envelope that is none: the tenant is looked for first.
    const knock = (baseUrl: string) =>
      fetch(`${baseUrl}/didcomm/${id}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })
    expect((await knock(first.baseUrl)).status).toBe(400)

    const processes = processTree(first.program.pid)
    // To npm alone, as a supervisor does it: its shell passes nothing on.
    first.program.signal('SIGTERM')
    await whenGone(processes)

    const second = await whenReady(npmStart())
    expect((await knock(second.baseUrl)).status).toBe(404)
    const others = processTree(second.program.pid)
    second.program.signal('SIGTERM')
    await whenGone(others)
  })
})

/** `npm run wallet` at a terminal, against a running stage. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../support/stage/folder.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { askStage, completed, invite, messagesOf, newTenant, type StageTenant } from '../support/stage/party.ts'
import { processTree, stillRunning } from '../support/stage/processes.ts'
import { endPrograms, runProgram, startProgram } from '../support/stage/program.ts'
import { type RunningStage, startStage } from '../support/stage/stage.ts'
import { waitFor } from '../wallet/wait.ts'

let stage: RunningStage
let tenant: StageTenant

beforeAll(async () => {
  stage = await startStage({ env: { PUBLIC_URL: '', TOKEN_ISSUERS: '', LOG_LEVEL: 'warn' } })
  tenant = await newTenant(stage, 'Faculty')
})
afterAll(async () => {
  endPrograms()
  await stage.stop()
})

const ARGUMENTS = ['run', '-s', 'wallet', '--']

test('it connects, shows messages, sends typed lines, and Ctrl-C ends it', async () => {
  const invitation = await invite(stage, tenant)
  const wallet = startProgram('npm', [...ARGUMENTS, invitation.invitationUrl])
  await wallet.says(/^proof requested: "degree" \(presentationExchange\); .+$/m)
  await wallet.says(/^connected to "Faculty" as did:key:z\w+\n.*Ctrl-C ends\.$/m)

  const { id } = await completed(stage, tenant, invitation)
  await askStage(stage.baseUrl, tenant.token, `/basic-messages/${id}`, { content: 'hello, wallet\u0007' })
  // Messages must not ring the terminal's bell.
  await wallet.says(/^agent: hello, wallet\uFFFD$/m)

  for (const line of ['hello, agent', '', '  ', 'goodbye']) wallet.types(line)
  const received = await waitFor('what was typed', async () => {
    const messages: Json[] = await messagesOf(stage, tenant, id)
    const contents = messages.filter(({ role }) => role === 'receiver').map(({ content }) => content)
    return contents.length > 1 && contents
  })
  expect(received).toEqual(['hello, agent', 'goodbye'])

  const processes = processTree(wallet.pid)
  const said = wallet.stdout()
  wallet.interrupt()
  expect(await wallet.ended()).toMatchObject({ stdout: said, stderr: '' })
  await waitFor('its processes to be gone', () => stillRunning(processes).length === 0)
})

test('it leaves no process when npm alone gets a SIGTERM', async () => {
  const { invitationUrl } = await invite(stage, tenant)
  const wallet = startProgram('npm', [...ARGUMENTS, invitationUrl])
  await wallet.says(/^connected to "Faculty"/m)
  const processes = processTree(wallet.pid)
  wallet.signal('SIGTERM')
  await waitFor('its processes to be gone', () => stillRunning(processes).length === 0)
})

test('it prints the certificate of its sample issuer, which is made once', async () => {
  await using folder = await temporaryFolder()
  const env = { DATA_DIR: folder.path }
  const first = await runProgram('npm', [...ARGUMENTS, '--sample'], { env })
  expect(first.stdout).toMatch(/^[A-Za-z0-9+/]+={0,2}\n$/)
  expect(await runProgram('npm', [...ARGUMENTS, '--sample'], { env })).toEqual(first)
})

describe.concurrent('it says in one line why it can’t connect', () => {
  test.each([
    ['no invitation', [], /^usage: npm run wallet -- "<invitationUrl>", .+$/],
    ['a link without a request in it', ['openid4vp://?x'], /^The wallet could not answer: .+$/],
    ['a URL without invitation', ['http://127.0.0.1:9/?oob=bm9uc2Vuc2U'], /^The wallet could not connect: .+$/],
  ])('%s', async (_, args, line) => {
    const { code, stdout, stderr } = await runProgram('npm', [...ARGUMENTS, ...args])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^[^\n]+\n$/)
    expect(stderr.trimEnd()).toMatch(line)
  })

  test('an inviter whose DID contains control characters', async () => {
    const invitation = {
      ...{ '@type': 'https://didcomm.org/out-of-band/1.1/invitation', '@id': 'an-invitation', label: 'Mallory' },
      ...{ handshake_protocols: ['https://didcomm.org/didexchange/1.1'], services: ['did:peer:\u001b[31m'] },
    }
    const oob = Buffer.from(JSON.stringify(invitation)).toString('base64url')
    const { stderr } = await runProgram('npm', [...ARGUMENTS, `http://127.0.0.1:9/?oob=${oob}`])
    expect(stderr).toMatch(/^The wallet could not connect: .+did:peer:\uFFFD\[31m.+$/m)
    expect(stderr).not.toContain('\u001b')
  })

  test('an agent that cannot be reached', async () => {
    const { invitationUrl } = await invite(stage, tenant)
    const { code, stderr } = await runProgram('npm', [...ARGUMENTS, gone(invitationUrl)])
    expect(code).toBe(1)
    expect(stderr).toMatch(/^The wallet could not connect: [^\n]+\n$/)
  })
})

/** The invitation, with an endpoint where no server listens: the discard port. */
const gone = (invitationUrl: string): string => {
  const url = new URL(invitationUrl)
  const invitation = JSON.parse(Buffer.from(url.searchParams.get('oob') ?? '', 'base64url').toString())
  // did:peer:2 has its service in its text: https://identity.foundation/peer-did-method-spec/#generating-a-didpeer2
  invitation.services = invitation.services.map((did: string) =>
    did.replace(/\.S[\w-]+/, (service) => {
      const text = Buffer.from(service.slice(2), 'base64url')
        .toString()
        .replace(/127\.0\.0\.1:\d+/, '127.0.0.1:9')
      return `.S${Buffer.from(text).toString('base64url')}`
    }),
  )
  url.searchParams.set('oob', Buffer.from(JSON.stringify(invitation)).toString('base64url'))
  return url.href
}

/** The README and the guides: their commands, pasted one after another into a shell while `npm start` runs. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testWithLibrary } from '../support/anoncreds/library.ts'
import { temporaryFolder } from '../support/stage/folder.ts'
import { commandsOf, jsonLines, paste } from '../support/stage/pasted.ts'
import { endPrograms } from '../support/stage/program.ts'
import { npmStart, type StartedStage, whenReady } from '../support/stage/started.ts'

let stage: StartedStage

beforeAll(async () => {
  stage = await whenReady(npmStart())
})
afterAll(async () => {
  stage.program.interrupt()
  await stage.program.ended()
  endPrograms()
})

const VERIFIED = { state: 'done', isVerified: true, role: 'verifier' }

/** Output of the commands, once all of them have ended. None has failed. */
const pasted = async (commands: string) => {
  await using folder = await temporaryFolder()
  const ending = await paste(commands, stage, folder.path)
  expect(ending.stderr).toBe('')
  return { stdout: ending.stdout, answers: jsonLines(ending) }
}

/** An object with these fields, and others. */
const having = (part: object) => expect.objectContaining(part)

describe('commands that are pasted', () => {
  test('the five calls of the README connect and issue, and a webhook hears of a message', async () => {
    const guides = [commandsOf('README.md', 'Five calls'), commandsOf('docs/webhooks.md', 'Try it')]
    const { stdout, answers } = await pasted(guides.join('\n'))
    expect(stdout).toMatch(/^connected to "Faculty"/m)
    expect(stdout).toMatch(/^credential received: .*"degree":"Bachelor"/m)
    expect(answers).toContainEqual(having({ role: 'issuer', state: 'done' }))
    expect(answers).toContainEqual(
      having({
        type: 'basic_message.delivered',
        data: having({ record: having({ content: 'hello, wallet', role: 'sender' }) }),
      }),
    )
  })

  test('a generated client offers a credential, and waits for its state by events', async () => {
    const { stdout } = await pasted([commandsOf('README.md', 'Five calls'), commandsOf('docs/client.md')].join('\n'))
    expect(stdout).toMatch(/^the wallet has the credential$/m)
  })

  test('a first credential is issued, and another tenant verifies it', async () => {
    const guides = ['docs/issue-a-credential.md', 'docs/verify-a-wallet.md']
    const { stdout, answers } = await pasted(guides.map((guide) => commandsOf(guide)).join('\n'))
    expect(stdout).toMatch(/^credential received: .*"degree":"Bachelor"/m)
    expect(stdout).toMatch(/^credential received: .*"degree":"Master"/m)
    expect(answers).toContainEqual(having({ role: 'issuer', state: 'done' }))
    expect(answers).toContainEqual([having({ role: 'issuer', state: 'done' })])
    expect(answers).toContainEqual(
      having({ role: 'issuer', state: 'credential-issued', autoAcceptCredential: 'never' }),
    )
    expect(answers).toContainEqual(having({ ...VERIFIED, autoAcceptProof: 'always' }))
    expect(answers).toContainEqual(having({ ...VERIFIED, autoAcceptProof: 'never' }))
  })

  test('three tenants issue, hold and verify, and see nothing of each other', async () => {
    const { answers } = await pasted(commandsOf('docs/tenants.md'))
    expect(answers).toContainEqual(having({ statusCode: 404 }))
    expect(answers).toContainEqual(having({ statusCode: 403 }))
    expect(answers).toContainEqual([having({ credentialInstances: [expect.anything()] })])
    expect(answers.at(-1)).toMatchObject(VERIFIED)
  })

  test('calls of a client of credo-controller are answered', async () => {
    const { answers } = await pasted(commandsOf('docs/credo-controller.md'))
    const [received, connections, repeated, refused] = answers
    expect(connections).toEqual([having({ theirLabel: 'Issuer', alias: 'Issuer', state: 'completed' })])
    expect(repeated).toEqual(received)
    expect(refused).toMatchObject({ statusCode: 409, message: expect.stringContaining('received before') })
  })

  // All commands but the one that installs the library.
  testWithLibrary('a credential of AnonCreds is issued, verified and revoked', async () => {
    const { stdout } = await pasted(commandsOf('docs/anoncreds.md').replace(/^npm run anoncreds\n/m, ''))
    const proofs = stdout.split('\n').filter((line) => line.includes('"isVerified"'))
    expect(proofs.map((line) => JSON.parse(line))).toMatchObject([
      {
        state: 'done',
        isVerified: true,
        presentedAttributes: { anoncreds: { revealed: [{ name: 'degree', value: 'Bachelor' }] } },
      },
      { state: 'abandoned', isVerified: false, errorMessage: expect.any(String) },
    ])
    expect(stdout).toMatch(/"_agent\/revocation":\{"state":"pending"/)
    expect(stdout).toMatch(/"_agent\/revocation":\{"state":"published"/)
    expect(stdout).toMatch(/^credential revoked: /m)
    expect(stdout).toMatch(/"versionId":"1-Qm/)
  })
})

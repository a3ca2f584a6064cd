/** The guide of OpenID4VC: its commands, pasted into a shell while a stage at https runs, with another vendor's wallet. */
import { afterAll, expect, test } from 'vitest'
import { temporaryFolder } from '../support/stage/folder.ts'
import { commandsOf, jsonLines, paste } from '../support/stage/pasted.ts'
import { endPrograms } from '../support/stage/program.ts'
import { npmStart, whenReady } from '../support/stage/started.ts'

const folder = await temporaryFolder()

const stage = await whenReady(npmStart({ env: { TLS: 'on', DATA_DIR: folder.path } }))

afterAll(async () => {
  stage.program.interrupt()
  await stage.program.ended()
  endPrograms()
  await folder[Symbol.asyncDispose]()
})

/** The final verification sessions, in order. */
const follow = async (section: string) => {
  const commands = commandsOf('docs/openid4vc.md', section)
    .replaceAll('.data', folder.path)
    .replaceAll('https://localhost:3000', stage.baseUrl)
  const ending = await paste(commands, stage, folder.path)
  return { ending, sessions: jsonLines(ending).filter((one) => Object(one).checks) }
}
const revoked = expect.objectContaining({ state: 'Error', error: 'status' })

test("another vendor's wallet takes a credential and presents it, unless it is suspended or revoked", async () => {
  const { ending, sessions } = await follow('Issue in ten calls')
  const claims = { resident: [expect.objectContaining({ given_name: 'Ada' })] }
  const verified = expect.objectContaining({ state: 'ResponseVerified', claims })
  expect(sessions, ending.stdout + ending.stderr).toEqual([verified, revoked, verified, revoked])
  const statuses = jsonLines(ending).map((one) => Object(one).credentialStatus)
  expect(statuses.filter(Boolean)).toEqual(['suspended', 'valid', 'revoked'])
})

test("another vendor's wallet presents to a tenant, and is rejected after its credential was revoked", async () => {
  const { sessions } = await follow('Verify in ten calls')
  expect(sessions).toEqual([
    expect.objectContaining({
      state: 'ResponseVerified',
      claims: { identity: [expect.objectContaining({ given_name: expect.any(String) })] },
    }),
    revoked,
  ])
})

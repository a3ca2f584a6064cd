/** The guide of OpenID4VP: its commands, pasted into a shell while a stage at https runs, and a wallet of others answers. */
import { afterAll, expect, test } from 'vitest'
import { temporaryFolder } from '../support/stage/folder.ts'
import { commandsOf, jsonLines, paste } from '../support/stage/pasted.ts'
import { endPrograms } from '../support/stage/program.ts'
import { npmStart, whenReady } from '../support/stage/started.ts'

const folder = await temporaryFolder()

afterAll(async () => {
  endPrograms()
  await folder[Symbol.asyncDispose]()
})

test('a wallet of others presents to a tenant, and is refused after its credential was revoked', async () => {
  const stage = await whenReady(npmStart({ env: { TLS: 'on', DATA_DIR: folder.path } }))
  const commands = commandsOf('docs/openid4vc.md')
    .replaceAll('.data', folder.path)
    .replaceAll('https://localhost:3000', stage.baseUrl)
  const sessions = jsonLines(await paste(commands, stage, folder.path)).filter((one) => Object(one).verifierId)
  expect(sessions).toEqual([
    expect.objectContaining({
      state: 'ResponseVerified',
      claims: { identity: [expect.objectContaining({ given_name: expect.any(String) })] },
    }),
    expect.objectContaining({ state: 'Error', error: 'status' }),
  ])
  stage.program.interrupt()
  await stage.program.ended()
})

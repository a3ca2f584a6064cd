/** docs/anoncreds.md: its commands, pasted one after another into a shell while `npm start` runs. */
import { afterAll, expect, test } from 'vitest'
import { describeWithLibrary } from '../support/anoncreds/library.ts'
import { temporaryFolder } from '../support/stage/folder.ts'
import { commandsOf, paste } from '../support/stage/pasted.ts'
import { endPrograms } from '../support/stage/program.ts'
import { npmStart, whenReady } from '../support/stage/started.ts'

/** All but what brings the library. */
const COMMANDS = commandsOf('docs/anoncreds.md').replace(/^npm run anoncreds\n/m, '')

describeWithLibrary('the guide to AnonCreds', () => {
  afterAll(endPrograms)

  test('its commands issue, verify and revoke a credential', async () => {
    await using folder = await temporaryFolder()
    const stage = await whenReady(npmStart())
    const { stdout, stderr } = await paste(COMMANDS, stage, folder.path)
    expect(stderr).toBe('')
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
    stage.program.interrupt()
    await stage.program.ended()
  })
})

/** docs/anoncreds.md: its commands, pasted one after another into a shell while `npm start` runs. */
import { readFileSync } from 'node:fs'
import { afterAll, expect, test } from 'vitest'
import { describeWithLibrary } from '../support/anoncreds/library.ts'
import { temporaryFolder } from '../support/stage/folder.ts'
import { endPrograms, startProgram } from '../support/stage/program.ts'
import { npmStart, whenReady } from '../support/stage/started.ts'

const guide = readFileSync('docs/anoncreds.md', 'utf8')

/** What is pasted: all blocks but the one that brings the library. */
const BLOCKS = [...guide.matchAll(/^```sh\n([\s\S]*?)^```/gm)]
  .map(([, text = '']) => text)
  .filter((text) => text !== 'npm run anoncreds\n')

/** Keys and a wallet, cold, on a busy machine. */
const DEADLINE = 240_000

describeWithLibrary('the guide to AnonCreds', () => {
  afterAll(endPrograms)

  test(
    'its commands issue, verify and revoke a credential',
    async () => {
      await using folder = await temporaryFolder()
      const stage = await whenReady(npmStart())
      const script = BLOCKS.join('\n')
        .replace('http://127.0.0.1:3000', stage.baseUrl)
        .replaceAll(/\b(wallet\.log|scans)\b/g, (name) => `${folder.path}/${name}`)
      const shell = startProgram('bash', ['-c', script])
      const { stdout, stderr } = await shell.ended(DEADLINE)
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
    },
    DEADLINE,
  )
})

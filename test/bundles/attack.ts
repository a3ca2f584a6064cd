/** A wallet that writes a program into a path of its presentation, at bundled functions. */
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type BundledStage, startBundledStage } from '../support/bench/bundled-stage.ts'
import type { Unpacked } from '../support/bench/bundles.ts'
import { requestBody } from '../support/scenes.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { scriptPaths } from '../support/wallets/json-path-attacks.ts'
import { RawMessages } from '../wallet/raw-messages.ts'
import { waitFor } from '../wallet/wait.ts'
import { Wallet } from '../wallet/wallet.ts'

/** What the programs write. */
const MARKER = join(tmpdir(), `attacked-${process.pid}`)

const PROGRAM = `process.getBuiltinModule('node:fs').writeFileSync(${JSON.stringify(MARKER)},'')`

/** A presentation without a signature: the paths used to be evaluated first. */
const PROOF = {
  type: 'Ed25519Signature2018',
  proofPurpose: 'assertionMethod',
  verificationMethod: 'did:example:issuer#key',
  created: '2026-01-01T00:00:00Z',
  jws: 'e30..AA',
}

/** A wallet's answer to a proof request. */
const presentation = (request: Json, path: string): Json => ({
  '@type': 'https://didcomm.org/present-proof/2.0/presentation',
  '@id': crypto.randomUUID(),
  '~thread': { thid: request.proofRecordThId, pthid: request.invitation['@id'] },
  formats: [{ attach_id: 'a', format: 'dif/presentation-exchange/submission@v1.0' }],
  'presentations~attach': [
    {
      '@id': 'a',
      'mime-type': 'application/json',
      data: {
        json: {
          '@context': ['https://www.w3.org/2018/credentials/v1'],
          type: ['VerifiablePresentation'],
          verifiableCredential: [
            {
              '@context': ['https://www.w3.org/2018/credentials/v1'],
              type: ['VerifiableCredential'],
              issuer: 'did:example:issuer',
              issuanceDate: '2026-01-01T00:00:00Z',
              credentialSubject: { id: 'did:example:subject', degree: 'Bachelor' },
              proof: PROOF,
            },
          ],
          presentation_submission: {
            id: 'submission',
            definition_id: 'degree',
            descriptor_map: [{ id: 'degree', format: 'ldp_vc', path }],
          },
          proof: PROOF,
        },
      },
    },
  ],
})

export const testAttack = (unpacked: () => Unpacked): void => {
  // Without Node's flag, which would stop it, too; all other tests of the bundles set it.
  describe('a path that would be a program does nothing:', () => {
    let stage: BundledStage
    let wallet: Wallet
    let caller: { tenantId: string }

    beforeAll(async () => {
      ;[stage, wallet] = await Promise.all([
        startBundledStage(unpacked().functions, { NODE_OPTIONS: '' }),
        Wallet.start({ answerProofs: false }),
      ])
      const { body: tenant } = await stage.call('create-tenant', { body: { config: { label: 'Acme' } } })
      caller = { tenantId: tenant.id }
    })
    afterAll(async () => {
      await wallet.stop()
      await stage.stop()
      await rm(MARKER, { force: true })
    })

    test.each(scriptPaths(PROGRAM))('one that %s', async (_, path) => {
      const { body: request } = await stage.call('create-request', { caller, body: requestBody })
      const { id } = await wallet.connect(request.invitationUrl)
      await new RawMessages(wallet).sendOn(id, presentation(request, path))

      const proof = await waitFor('the proof to be over', async () => {
        const path = { ...caller, proofRecordId: request.proofRecordId }
        const { body } = await stage.call('tenant-proof-form-data', { caller, path })
        return body.state !== 'request-sent' && body
      })
      expect(proof).toMatchObject({ state: 'abandoned' })
      expect(existsSync(MARKER)).toBe(false)
      expect(await stage.call('receive-didcomm', { body: {} })).toMatchObject({ status: 400 })
    })
  })
}

/** A wallet that answers AnonCreds requests by itself, as `npm run wallet` does, and says what happens to it. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeWithLibrary } from '../support/anoncreds/library.ts'
import { type AnonCredsWorld, issueAnonCreds, startAnonCredsWorld } from '../support/anoncreds/world.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { narrate } from '../wallet/narration.ts'
import { waitFor } from '../wallet/wait.ts'

describeWithLibrary('a wallet that answers by itself', () => {
  let world: AnonCredsWorld
  const told: string[] = []

  beforeAll(async () => {
    world = await startAnonCredsWorld({ revocable: 100, answerProofs: true })
    narrate(world.wallet, (line) => told.push(line))
  })
  afterAll(() => world.stop())

  const says = (line: RegExp) => waitFor(`the wallet to say ${line}`, () => told.some((one) => line.test(one)))

  /** Asks for a degree; resolves to what the tenant reads once the wallet has answered. */
  const ask = async (nonRevoked?: { to: number }): Promise<Json> => {
    const { stage, wallet, caller, credentialDefinitionId } = world
    const restrictions = [{ cred_def_id: credentialDefinitionId }]
    const anoncreds = {
      name: 'degree',
      version: '1.0',
      ...(nonRevoked !== undefined && { non_revoked: nonRevoked }),
      requested_attributes: { degree: { name: 'degree', restrictions } },
      requested_predicates: { age: { name: 'age', p_type: '>=', p_value: 18, restrictions } },
    }
    const body = { protocolVersion: 'v2', autoAcceptProof: 'always', proofFormats: { anoncreds } }
    const { body: asked } = await stage.call('createRequest', { caller, body })
    await wallet.receive(asked.invitationUrl)
    const path = { ...caller, proofRecordId: asked.proofRecordId }
    return waitFor('the proof to be over', async () => {
      const { body: proof } = await stage.call('tenantProofFormData', { caller, path })
      return /^(done|abandoned)$/.test(proof.state) && proof
    })
  }

  const byNow = () => ({ to: Math.ceil(Date.now() / 1000) })

  test('presents what it holds as soon as it holds it, and is told when it is revoked', async () => {
    const { stage, caller, credentialDefinitionId } = world
    const early = ask()
    await says(/^proof requested: "degree" \(anoncreds\)/)
    const { exchange } = await issueAnonCreds(world, { degree: 'Bachelor', age: '24' })
    const what = `{"degree":"Bachelor","age":"24"} of ${credentialDefinitionId}`
    for (const event of ['offered', 'received'])
      await waitFor(`the wallet to say ${event}`, () => told.includes(`credential ${event}: ${what}`))
    expect(await early).toMatchObject({ state: 'done', isVerified: true })
    expect(await ask(byNow())).toMatchObject({ state: 'done', isVerified: true })

    await stage.call('revokeCredential', { caller, path: { credentialRecordId: exchange.id } })
    await waitFor('the wallet to say revoked', () => told.includes(`credential revoked: ${what}`))

    expect(await ask(byNow())).toMatchObject({ state: 'abandoned', isVerified: false })
    await says(/^proof abandoned: /)
  })
})

/** What a removed tenant leaves of AnonCreds: an issuer with registries and revocations, and a holder with its link secret. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeWithLibrary } from '../support/anoncreds/library.ts'
import { useQuickKeys } from '../support/anoncreds/quick-keys.ts'
import { defineDegree, degreeOffer, degreeRequest, offerDegree } from '../support/anoncreds/revocable-degree.ts'
import { acceptOffer, storedBy } from '../support/anoncreds/tenant-holder.ts'
import { allItems, removeTenant } from '../support/removal.ts'
import { createTenant } from '../support/scenes.ts'
import { type InProcessStage, startInProcessStage } from '../support/stage/in-process-stage.ts'
import { checkTable } from '../support/table/table-checker.ts'
import { connectTenants, settled, succeed } from '../support/tenants.ts'
import { waitFor } from '../wallet/wait.ts'

type Tenant = { tenantId: string }

describeWithLibrary('a tenant with AnonCreds that is removed', () => {
  let stage: InProcessStage

  beforeAll(async () => {
    stage = await startInProcessStage()
    stage.line.run()
    await useQuickKeys()
  })
  afterAll(() => stage.stop())

  const itemsWith = async (text: string) => [...(await allItems(stage)).keys()].filter((name) => name.includes(text))

  /** A degree that the holder has, has proved, and that is revoked. */
  const issue = async (issuer: Tenant, holder: Tenant): Promise<void> => {
    const definitionId = await defineDegree(stage, issuer)
    const { connectionId } = await connectTenants(stage, issuer, holder)
    const offer = await offerDegree(stage, issuer, degreeOffer(connectionId, definitionId))
    const query = { threadId: offer.threadId }
    const heldId = await waitFor('the offer', async () => {
      const [held] = await succeed(stage, 'getCredentials', holder, { query })
      return held?.id as string
    })
    await acceptOffer(stage, holder, heldId)
    await storedBy(stage, holder, heldId)
    await succeed(stage, 'requestProof', issuer, { body: { connectionId, ...degreeRequest(definitionId) } })
    // This one stays open.
    await offerDegree(stage, issuer, degreeOffer(connectionId, definitionId))
    await succeed(stage, 'revokeCredential', issuer, { path: { credentialRecordId: offer.id } })
    await waitFor('the revocation', async () => {
      const path = { credentialRecordId: offer.id }
      const { metadata } = await succeed(stage, 'getCredentialById', issuer, { path })
      return metadata['_agent/revocation'].state === 'published'
    })
  }

  test('leaves nothing of its definitions, registries, tails files, credentials and secrets', async () => {
    const [issuer, holder] = [await createTenant(stage), await createTenant(stage)]
    await issue(issuer, holder)
    await settled(stage)
    const kinds = [...(await allItems(stage)).values()].map(({ kind }) => kind?.S)
    expect(kinds).toEqual(expect.arrayContaining(['tails-piece', 'revocation-registry', 'webvh-resource', 'webvh-log']))
    expect(await itemsWith(`${holder.tenantId}|AnonCredsLinkSecretRecord`)).not.toEqual([])
    for (const { tenantId } of [issuer, holder]) {
      await removeTenant(stage, tenantId)
      expect(await checkTable(stage.client, stage.table)).toEqual([])
    }
    for (const left of ['@tails', 'AnonCreds', 'webvh|', '|definition|', '|definition-slot', 'revocation'])
      expect(await itemsWith(left)).toEqual([])
  })

  test('while its definition and its registry are written, leaves nothing of them', async () => {
    const issuer = await createTenant(stage)
    const body = { name: 'late', version: '1.0', attributes: ['name', 'degree', 'age'] }
    const { schemaId } = await succeed(stage, 'createSchema', issuer, { body })
    const definition = { schemaId, tag: 'default', supportRevocation: true, revocationRegistrySize: 100 }
    await succeed(stage, 'createCredentialDefinition', issuer, { body: definition })
    await removeTenant(stage, issuer.tenantId)
    await settled(stage)
    expect(await checkTable(stage.client, stage.table)).toEqual([])
    const waited = await createTenant(stage)
    await defineDegree(stage, waited)
    // Its registry is being made.
    await removeTenant(stage, waited.tenantId)
    expect(await checkTable(stage.client, stage.table)).toEqual([])
    expect(await itemsWith('@tails')).toEqual([])
  })
})

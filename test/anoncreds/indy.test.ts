/** AnonCreds of an Indy ledger, between a tenant and a wallet that reads the same ledger by itself: issued, and presented. */
import { tmpdir } from 'node:os'
import {
  type AnonCredsCredentialDefinition,
  type AnonCredsRevocationRegistryDefinition,
  type AnonCredsRevocationStatusList,
  LegacyIndyDidCommProofFormatService,
} from '@credo-ts/anoncreds'
import type { AgentContext } from '@credo-ts/core'
import { CredentialDefinition, RevocationRegistryDefinition, RevocationStatusList } from '@hyperledger/anoncreds-shared'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { IndyRegistry } from '../../lib/agent/formats/anoncreds/indy-registry.ts'
import { describeWithLibrary } from '../support/anoncreds/library.ts'
import {
  INDY_IDS,
  INDY_ISSUER,
  type OperatedLedger,
  startOperatedLedger,
} from '../support/anoncreds/operated-ledger.ts'
import { type AnonCredsWorld, definitionOf, inTenant, startAnonCredsWorld } from '../support/anoncreds/world.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { IndyLedgerRegistry } from '../wallet/indy-ledger-registry.ts'
import { waitFor } from '../wallet/wait.ts'

describeWithLibrary('AnonCreds of an Indy ledger', () => {
  let world: AnonCredsWorld
  let ledger: OperatedLedger

  beforeAll(async () => {
    world = await startAnonCredsWorld()
    ledger = await startOperatedLedger()
    await definitionOf(world.caller.tenantId, { registry: ledger.registry, issuerId: INDY_ISSUER })
  })
  afterAll(async () => {
    await world.stop()
    await ledger.stop()
  })

  const QUALIFIED = `${INDY_ISSUER}/anoncreds/v0/CLAIM_DEF/10/default`

  const issue = async (format: 'indy' | 'anoncreds', credentialDefinitionId: string) => {
    const { stage, caller, connectionId } = world
    const attributes = [
      { name: 'degree', value: 'Bachelor' },
      { name: 'age', value: '24' },
    ]
    const { id } = await inTenant(caller.tenantId, ({ didcomm }) =>
      didcomm.credentials.offerCredential({
        connectionId,
        protocolVersion: 'v2',
        credentialFormats: { [format]: { credentialDefinitionId, attributes } },
      }),
    )
    return waitFor('the credential exchange to be done', async () => {
      const { body } = await stage.call('getCredentialById', { caller, path: { credentialRecordId: id } })
      if (body.state === 'abandoned') throw new Error(body.errorMessage)
      return body.state === 'done' && body
    })
  }

  test('a credential is issued by unqualified ids in the indy format', async () => {
    const exchange = await issue('indy', INDY_IDS.credentialDefinitionId)
    expect(exchange.metadata['_internal/indyCredential']).toEqual(INDY_IDS)
    expect(world.wallet.journal.errors).toEqual([])
  })

  test('a credential is issued by qualified ids in the anoncreds format', async () => {
    const exchange = await issue('anoncreds', QUALIFIED)
    expect(exchange.metadata['_internal/indyCredential']).toMatchObject({
      credentialDefinitionId: QUALIFIED,
    })
    expect(world.wallet.journal.errors).toEqual([])
  })

  /** Credo's own verification, with what our registry reads. */
  const verifies = (request: Json, presentation: Json): Promise<boolean> =>
    inTenant(world.caller.tenantId, ({ context }) =>
      new LegacyIndyDidCommProofFormatService().processPresentation(
        context,
        Object({
          requestAttachment: { getDataAsJson: () => request },
          attachment: { getDataAsJson: () => presentation },
        }),
      ),
    )

  test.each(['v1', 'v2'])('what the ledger has verifies a presentation of it: %s', async (protocolVersion) => {
    const { stage, caller, wallet } = world
    const { proxy } = ledger
    const restrictions = [{ cred_def_id: INDY_IDS.credentialDefinitionId }]
    const { body: created } = await stage.call('createRequest', {
      caller,
      body: {
        protocolVersion,
        autoAcceptProof: 'always',
        proofFormats: {
          indy: {
            name: 'degree',
            version: '1.0',
            requested_attributes: { degree: { name: 'degree', restrictions } },
            requested_predicates: { age: { name: 'age', p_type: '>=', p_value: 18, restrictions } },
          },
        },
      },
    })
    const before = new Set((await wallet.proofs()).map(({ id }) => id))
    await wallet.receive(created.invitationUrl)
    const asked = await waitFor('the request', async () => (await wallet.proofs()).find(({ id }) => !before.has(id)))
    const { proofs } = wallet.agent.didcomm
    const { proofFormats } = await proofs.selectCredentialsForRequest({ proofExchangeRecordId: asked.id })
    await proofs.acceptRequest({ proofExchangeRecordId: asked.id, proofFormats })
    const { request, presentation, ...rest } = await waitFor('the presentation', async () => {
      const path = { tenantId: caller.tenantId, proofRecordId: created.proofRecordId }
      const { body } = await stage.call('tenantProofFormData', { caller, path })
      return ['done', 'abandoned'].includes(body.state) && body
    })
    expect(rest).toMatchObject({ state: 'done', isVerified: true })
    proxy.asked.length = 0
    expect(await verifies(request.indy, presentation.indy)).toBe(true)
    expect(proxy.asked).toContain(`GET /cred_def/${encodeURIComponent(INDY_IDS.credentialDefinitionId)}`)
  })

  /** A registry with what AnonCreds' library makes of it, written by the operator: the schema is on the ledger. */
  const revocable = () => {
    const issuerId = INDY_ISSUER
    const schemaId = `${issuerId}/anoncreds/v0/SCHEMA/degree/1.0`
    const credentialDefinitionId = `${issuerId}/anoncreds/v0/CLAIM_DEF/10/revocable`
    const schema = { issuerId, name: 'degree', version: '1.0', attrNames: ['degree'] }
    const { credentialDefinition } = CredentialDefinition.create({
      ...{ schemaId, schema, issuerId, tag: 'revocable', signatureType: 'CL', supportRevocation: true },
    })
    const made = RevocationRegistryDefinition.create({
      ...{ credentialDefinition, credentialDefinitionId, issuerId, tag: 'first', revocationRegistryType: 'CL_ACCUM' },
      maximumCredentialNumber: 10,
      tailsDirectoryPath: tmpdir(),
    })
    const list = RevocationStatusList.create({
      ...{ ...made, credentialDefinition, issuerId, issuanceByDefault: true, timestamp: 1 },
      revocationRegistryDefinitionId: `${issuerId}/anoncreds/v0/REV_REG_DEF/10/revocable/first`,
    })
    const revoke = (revoked: number[]) => list.update({ credentialDefinition, ...made, revoked, timestamp: 2 })
    return { credentialDefinition, ...made, list, revoke }
  }

  test('definition, registry and status lists of the library come back from the ledger as they were', async () => {
    const { caller } = world
    const { proxy } = ledger
    const registry = new IndyRegistry()
    const inUnit = (act: (context: AgentContext) => Promise<Json>) =>
      inTenant(caller.tenantId, ({ context }) => act(context))
    const options = {}
    const written = async (register: (context: AgentContext) => Promise<Json>) => {
      const answer = await inUnit(register)
      proxy.write(answer.registrationMetadata.transaction.request)
    }
    const { credentialDefinition, revocationRegistryDefinition, list, revoke } = revocable()
    const definition = credentialDefinition.toJson() as unknown as AnonCredsCredentialDefinition
    const ofRegistry = revocationRegistryDefinition.toJson() as unknown as AnonCredsRevocationRegistryDefinition
    const ofList = () => list.toJson() as unknown as AnonCredsRevocationStatusList
    await written((context) =>
      registry.registerCredentialDefinition(context, { credentialDefinition: definition, options }),
    )
    await written((context) =>
      registry.registerRevocationRegistryDefinition(context, { revocationRegistryDefinition: ofRegistry, options }),
    )
    const id = ofList().revRegDefId
    const now = () => Math.floor(Date.now() / 1000)
    for (const revoked of [[], [3, 7], [1]]) {
      if (revoked.length > 0) revoke(revoked)
      await written((context) =>
        registry.registerRevocationStatusList(context, { revocationStatusList: ofList(), options }),
      )
      const { revocationStatusList } = await inUnit((context) => registry.getRevocationStatusList(context, id, now()))
      expect(revocationStatusList).toEqual({ ...ofList(), timestamp: expect.any(Number) })
      // The library reads it too.
      expect(RevocationStatusList.fromJson(revocationStatusList).toJson()).toEqual(revocationStatusList)
    }
    const read = await inUnit((context) => registry.getCredentialDefinition(context, ofRegistry.credDefId))
    expect(read.credentialDefinition).toEqual(definition)
    const found = await inUnit((context) => registry.getRevocationRegistryDefinition(context, id))
    expect(found.revocationRegistryDefinition).toEqual(ofRegistry)
    // The wallet's registry, which shares no code with ours, reads the same.
    const { context } = world.wallet.agent
    const wallets = new IndyLedgerRegistry()
    expect(await wallets.getRevocationRegistryDefinition(context, id)).toEqual(found)
    expect(await wallets.getCredentialDefinition(context, ofRegistry.credDefId)).toEqual(read)
    const time = now()
    expect(await wallets.getRevocationStatusList(context, id, time)).toEqual(
      await inUnit((own) => registry.getRevocationStatusList(own, id, time)),
    )
  })
})

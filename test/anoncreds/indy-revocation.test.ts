/** Revocation by the ids of an Indy ledger, to which an operator writes: registries, entries, presentations, and an operator who is late. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { legacyId } from '../../lib/indy/ids.ts'
import { LedgerOperator } from '../support/anoncreds/ledger-operator.ts'
import { describeWithLibrary } from '../support/anoncreds/library.ts'
import { INDY_ISSUER, type OperatedLedger, startOperatedLedger } from '../support/anoncreds/operated-ledger.ts'
import { useQuickKeys } from '../support/anoncreds/quick-keys.ts'
import { type AnonCredsWorld, haveTails, startAnonCredsWorld } from '../support/anoncreds/world.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { stopAtEnd } from '../support/stop-at-end.ts'
import { checkTable } from '../support/table/table-checker.ts'
import { startFaultyReceiver } from '../support/webhooks/faulty-receiver.ts'
import { OrganizationEndpoints, trustIssuer } from '../support/webhooks/organization-endpoints.ts'
import { waitFor } from '../wallet/wait.ts'

const issuer = await trustIssuer()
const receiver = await stopAtEnd(startFaultyReceiver())

const ATTRIBUTES = [
  { name: 'name', value: 'Ada' },
  { name: 'degree', value: 'Bachelor' },
  { name: 'age', value: '24' },
]

describeWithLibrary('a revocable credential by the ids of an Indy ledger', () => {
  let world: AnonCredsWorld
  let ledger: OperatedLedger
  let operator: LedgerOperator

  beforeAll(async () => {
    vi.useFakeTimers({ toFake: ['Date'], shouldAdvanceTime: true })
    world = await startAnonCredsWorld()
    ledger = await startOperatedLedger()
    await useQuickKeys()
    operator = new LedgerOperator(world, ledger.proxy)
  })
  afterAll(async () => {
    const { client, table } = world.stage
    expect(await checkTable(client, table)).toEqual([])
    await world.stop()
    await ledger.stop()
    vi.useRealTimers()
  })

  const call: AnonCredsWorld['stage']['call'] = (name, request) =>
    world.stage.call(name, { caller: world.caller, ...request })
  const now = (): number => Math.floor(Date.now() / 1000)

  /** What waits for a time is looked at again. */
  const later = async (ms = 60_000): Promise<void> => {
    vi.setSystemTime(Date.now() + ms)
    await world.stage.line.sweep()
  }

  const exchange = async (credentialRecordId: string): Promise<Json> =>
    (await call('getCredentialById', { path: { credentialRecordId } })).body
  const offer = (credentialDefinitionId: string, formats = ['indy']) =>
    call('createOffer', {
      body: {
        connectionId: world.connectionId,
        protocolVersion: 'v2',
        credentialFormats: Object.fromEntries(
          formats.map((format) => [format, { credentialDefinitionId, attributes: ATTRIBUTES }]),
        ),
      },
    })
  const issue = async (credentialDefinitionId: string, formats?: string[]): Promise<Json> => {
    const { body } = await offer(credentialDefinitionId, formats)
    return waitFor('the credential to be issued', async () => {
      const found = await exchange(body.id)
      if (found.state === 'abandoned') throw new Error(found.errorMessage)
      return found.state === 'done' && found
    })
  }
  /** A definition whose first registry and entry the operator has written. */
  const define = async (tag: string): Promise<Json> => {
    const definition = await operator.define(INDY_ISSUER, tag)
    for (const type of ['REVOC_REG_DEF', 'REVOC_REG_ENTRY']) {
      operator.write((await operator.waiting(definition.id, type))[0])
      await later()
    }
    await operator.hasWritten(definition.id)
    return definition
  }
  const revoke = (credentialRecordId: string) => call('revokeCredential', { path: { credentialRecordId } })
  const revocationOf = async (id: string): Promise<string> => (await exchange(id)).metadata['_agent/revocation'].state

  test('is issued, presented, revoked and rejected, as the operator writes', async () => {
    await OrganizationEndpoints.register({ stage: world.stage, receiver, issuer }, world.caller.tenantId)
    const definition = await operator.define(INDY_ISSUER, 'degree')
    const credentialDefinitionId = legacyId(definition.credentialDefinitionId)
    expect(credentialDefinitionId).toMatch(/^\w+:3:CL:\d+:degree$/)
    expect(await offer(credentialDefinitionId)).toMatchObject({
      status: 409,
      headers: { 'retry-after': expect.any(String) },
    })
    const [registry] = await operator.waiting(definition.id, 'REVOC_REG_DEF')
    expect(registry.transaction.request.operation).toMatchObject({ type: '113', credDefId: credentialDefinitionId })
    operator.write(registry)
    await later()
    const [first] = await operator.waiting(definition.id, 'REVOC_REG_ENTRY')
    expect(first.transaction.request.operation.value).toEqual({ accum: expect.any(String) })
    expect(await offer(credentialDefinitionId)).toMatchObject({ status: 409, headers: { 'retry-after': '60' } })
    operator.write(first)
    await later()
    await operator.hasWritten(definition.id)
    const issued = await issue(credentialDefinitionId)
    const { revocationRegistryId, credentialRevocationId } = issued.metadata['_anoncreds/credential']
    expect(revocationRegistryId).toBe(registry.transaction.request.operation.id)
    await haveTails(world.caller.tenantId, revocationRegistryId)
    expect(await present(credentialDefinitionId, now())).toMatchObject({ state: 'done', isVerified: true })

    expect((await revoke(issued.id)).body.metadata['_agent/revocation'].state).toBe('pending')
    const [entry] = await operator.waiting(definition.id, 'REVOC_REG_ENTRY')
    expect(entry.transaction.request.operation.value).toMatchObject({
      prevAccum: first.transaction.request.operation.value.accum,
      revoked: [Number(credentialRevocationId)],
    })
    await later()
    expect(await revocationOf(issued.id)).toBe('pending')
    expect(
      (await world.wallet.credentialExchanges()).some(({ revocationNotification }) => revocationNotification),
    ).toBe(false)
    operator.write(entry)
    await later()
    await operator.hasWritten(definition.id)
    await later()
    await waitFor('the revocation to be published', async () => (await revocationOf(issued.id)) === 'published')
    await waitFor('the wallet to be told', async () =>
      (await world.wallet.credentialExchanges()).some(({ revocationNotification }) => revocationNotification),
    )
    expect(await present(credentialDefinitionId, now() + 2)).toMatchObject({ state: 'abandoned', isVerified: false })

    // One event for each object that the operator has written. This clock is too far ahead for the signatures.
    const heard = await waitFor('the events', async () => {
      await later()
      const events = receiver.received
        .filter(({ path }) => path.endsWith('/webhook'))
        .map(({ body }) => JSON.parse(body))
      const ofDefinition = events.filter(({ data }) => data.record.id === definition.id)
      return ofDefinition.length >= 6 && ofDefinition
    })
    expect(heard.map(({ type, data }) => [type, data.record.state, data.record.ledgerObjectsAdded])).toEqual([
      ...['wait', 'action', 'finished'].map((state) => ['credential_definition.state_changed', state, undefined]),
      ...[1, 2, 3].map((added) => ['credential_definition.ledger_objects_added', 'finished', added]),
    ])
  })

  test('names its registry as it names its definition, and is revoked under either name', async () => {
    const definition = await define('spelled')
    const qualified: string = definition.credentialDefinitionId
    const issued = [await issue(legacyId(qualified)), await issue(qualified, ['anoncreds'])]
    const names = issued.map(({ metadata }) => metadata['_anoncreds/credential'].revocationRegistryId)
    expect(names).toEqual([legacyId(names[1]), expect.stringMatching(`^${INDY_ISSUER}/anoncreds/v0/REV_REG_DEF/`)])
    expect(names[0]).not.toBe(names[1])
    await Promise.all(issued.map(({ id }) => revoke(id)))
    const [entry] = await operator.waiting(definition.id, 'REVOC_REG_ENTRY')
    expect(entry.transaction.request.operation.value.revoked).toEqual([1, 2])
    operator.write(entry)
    await later()
    await operator.hasWritten(definition.id)
    await later()
    for (const { id } of issued)
      await waitFor('the revocation to be published', async () => (await revocationOf(id)) === 'published')
    expect(world.wallet.journal.errors).toEqual([])
  })

  test('is issued later if the ledger is unavailable; a call gets the reason', async () => {
    const definition = await define('away')
    const { body: offered } = await offer(legacyId(definition.credentialDefinitionId))
    ledger.proxy.answerWith((path, honest, response) =>
      path.includes('rev_reg') || path.includes('submit') ? void response.writeHead(503).end() : honest(),
    )
    await waitFor('the request', async () => (await exchange(offered.id)).state === 'request-received')
    const body = { credentialRecordId: offered.id }
    expect(await call('acceptCredentialRequest', { body })).toMatchObject({ status: 503 })
    ledger.proxy.answerWith()
    await later()
    await waitFor('the credential to be issued', async () => (await exchange(offered.id)).state === 'done')
    expect(world.wallet.journal.errors).toEqual([])
  })

  /** Asks for the degree, not revoked at a time, in the `indy` format; whatever fits is presented. Resolves when the proof has ended. */
  const present = async (credentialDefinitionId: string, to: number): Promise<Json> => {
    const { wallet, caller } = world
    const restrictions = [{ cred_def_id: credentialDefinitionId }]
    const indy = {
      ...{ name: 'degree', version: '1.0', non_revoked: { to } },
      requested_attributes: { degree: { name: 'degree', restrictions } },
      requested_predicates: { age: { name: 'age', p_type: '>=', p_value: 18, restrictions } },
    }
    const body = { protocolVersion: 'v2', autoAcceptProof: 'always', proofFormats: { indy } }
    const { body: created } = await call('createRequest', { body })
    const before = new Set((await wallet.proofs()).map(({ id }) => id))
    await wallet.receive(created.invitationUrl)
    const asked = await waitFor('the request', async () => (await wallet.proofs()).find(({ id }) => !before.has(id)))
    const { proofs } = wallet.agent.didcomm
    const { proofFormats } = await proofs.selectCredentialsForRequest({
      proofExchangeRecordId: asked.id,
      proofFormats: { indy: { filterByNonRevocationRequirements: false } },
    })
    await proofs.acceptRequest({ proofExchangeRecordId: asked.id, proofFormats })
    const path = { ...caller, proofRecordId: created.proofRecordId }
    return waitFor('the proof to end', async () => {
      const { body: proof } = await call('tenantProofFormData', { path })
      return ['done', 'abandoned'].includes(proof.state) && proof
    })
  }
})

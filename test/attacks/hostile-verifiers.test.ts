/** Verifiers that ask a tenant for a proof in order to run something, to cost much, or to be shown more than was asked for. */
import { randomUUID } from 'node:crypto'
import { existsSync, rmSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { MAX_VALUES } from '../../lib/json.ts'
import { degreeAbout, hold, keyDidOf } from '../support/held-degree.ts'
import { MAX_LINEAR_MS, processorTime } from '../support/processor-time.ts'
import { connect, createTenant } from '../support/scenes.ts'
import type { Json, Reply } from '../support/stage/in-process-stage.ts'
import { useTenantAndWallet } from '../support/stage/use-stage.ts'
import { scriptPaths } from '../support/wallets/json-path-attacks.ts'
import { RawMessages } from '../wallet/raw-messages.ts'

interface Prover {
  tenantId: string
  walletConnectionId: string
}

const { stage, caller, wallet } = await useTenantAndWallet()
const raw = new RawMessages(wallet)
const connected = async (tenant: { tenantId: string }): Promise<Prover> => {
  const { walletConnectionId } = await connect(stage, wallet, tenant)
  return { ...tenant, walletConnectionId }
}
/** It answers by a call, and the other by its settings. */
const prover = await connected(caller)
const { body } = await stage.call('createTenant', {
  body: { config: { label: 'Machine', autoAcceptProofRequests: true } },
})
const machine = await connected({ tenantId: body.id })
const issuer = await createTenant(stage, 'Issuer')
const degree = await hold(issuer, prover, degreeAbout(await keyDidOf(prover)))
await hold(issuer, machine, degreeAbout(await keyDidOf(machine)))

const CHALLENGE = { challenge: 'fb7e5d4e-2d4c-4d3e-8a07-2f6d8a9f6a3c' }

const definitionOf = (field: object, more: object = {}): Json => ({
  id: 'it',
  input_descriptors: [{ id: 'degree', constraints: { fields: [{ path: ['$.type'], ...field }] } }],
  ...more,
})

const asked = (presentation_definition: unknown, options: unknown = CHALLENGE): Json => ({
  presentation_definition,
  options,
})

const messageOf = (data: Json, format = 'dif/presentation-exchange/definitions@v1.0'): Json => ({
  '@type': 'https://didcomm.org/present-proof/2.0/request-presentation',
  '@id': randomUUID(),
  will_confirm: true,
  formats: [{ attach_id: 'a', format }],
  'request_presentations~attach': [{ '@id': 'a', 'mime-type': 'application/json', data }],
})

const proofOf = async ({ tenantId }: Prover, threadId: string): Promise<Json> =>
  (await stage.call('getProofs', { caller: { tenantId }, query: { threadId } })).body[0]

/** Sends a request, and has it accepted. Undefined where the request itself was rejected. */
const answered = async (message: Json, body: object = {}): Promise<Reply | undefined> => {
  const { status } = await raw.sendOn(prover.walletConnectionId, message)
  expect(status).toBeLessThan(500)
  const proof = await proofOf(prover, message['@id'])
  if (proof === undefined) return undefined
  expect(proof.state).toBe('request-received')
  const { tenantId } = prover
  return stage.call('acceptProofRequest', { caller: { tenantId }, path: { proofRecordId: proof.id }, body })
}

const MARKER = `${process.cwd()}/.data/a-verifier-was-here`
const PROGRAM = `return process.mainModule.require('fs').writeFileSync(${JSON.stringify(MARKER)}, '')`

const NESTED = JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`)

const base64Of = (json: unknown): string => Buffer.from(JSON.stringify(json)).toString('base64')

const HOSTILE: [string, Json][] = [
  ...scriptPaths(PROGRAM).map(([name, path]): [string, Json] => [
    `a path that ${name}`,
    { json: asked(definitionOf({ path: [path] })) },
  ]),
  [
    'a pattern that would backtrack',
    { json: asked(definitionOf({ filter: { pattern: '^(([a-z])+.)+[A-Z]([a-z])+$' } })) },
  ],
  ['a filter that refers', { json: asked(definitionOf({ filter: { $ref: 'https://evil.example/schema.json' } })) }],
  // In base64: Credo leaves such names out of what comes as JSON.
  ...['__proto__', 'toString'].map((name): [string, Json] => [
    `a filter with the keyword ${name}`,
    { base64: base64Of(asked(definitionOf({ filter: JSON.parse(`{"type":"array","${name}":"x"}`) }))) },
  ]),
  ['no definition', { json: asked(undefined) }],
  ['a list for a definition', { json: asked([]) }],
  ['descriptors that are texts', { json: asked({ id: 'it', input_descriptors: ['degree'] }) }],
  ['no options', { json: { presentation_definition: definitionOf({}) } }],
  ['no challenge', { json: asked(definitionOf({}), {}) }],
  ['a challenge that is too long', { json: asked(definitionOf({}), { challenge: 'x'.repeat(1025) }) }],
  ['a domain that is too long', { json: asked(definitionOf({}), { ...CHALLENGE, domain: 'x'.repeat(1025) }) }],
  ['an empty challenge', { json: asked(definitionOf({}), { challenge: '' }) }],
  ['a challenge that is an object', { json: asked(definitionOf({}), { challenge: { toString: 1 } }) }],
  ['a domain that is a list', { json: asked(definitionOf({}), { ...CHALLENGE, domain: ['a'] }) }],
  [
    'that parts of a credential be hidden',
    {
      json: asked({ id: 'it', input_descriptors: [{ id: 'degree', constraints: { limit_disclosure: 'required' } }] }),
    },
  ],
  [
    'a proof of a type that no key of the holder makes',
    { json: asked(definitionOf({}, { format: { ldp_vp: { proof_type: ['JsonWebSignature2020'] } } })) },
  ],
  ['credentials that the holder does not have', { json: asked(definitionOf({ filter: { const: 'nothing' } })) }],
  [
    'more than there is',
    {
      json: asked(definitionOf({}, { submission_requirements: [{ rule: 'pick', count: 3, from: 'A' }] })),
    },
  ],
  [
    'requirements in requirements',
    {
      json: asked(
        definitionOf(
          {},
          {
            submission_requirements: [
              JSON.parse(`${'{"rule":"all","from_nested":['.repeat(12)}{"rule":"all","from":"A"}${']}'.repeat(12)}`),
            ],
          },
        ),
      ),
    },
  ],
  ['what is nested without an end', { base64: base64Of(asked(NESTED)) }],
  [
    'very many values',
    { base64: base64Of(asked(definitionOf({}), { ...CHALLENGE, more: Array(MAX_VALUES).fill(0) })) },
  ],
  ['a list in base64', { base64: Buffer.from('[]').toString('base64') }],
  ['what is not JSON', { base64: 'AAAA' }],
]

describe('is rejected to a verifier, and nothing is shown, that sends', () => {
  test.each(HOSTILE)('%s', async (_, data) => {
    rmSync(MARKER, { force: true })
    const message = messageOf(data)
    const answer = await answered(message)
    expect(existsSync(MARKER)).toBe(false)
    // A message with an unreadable attachment is rejected by itself.
    if (answer === undefined) return
    expect(answer).toMatchObject({
      status: 422,
      body: { details: [{ path: expect.stringMatching(/^proofFormats\.presentationExchange/) }] },
    })
    expect(await proofOf(prover, message['@id'])).toMatchObject({ state: 'request-received' })
  })

  // What is rejected is rejected in both ways; here every fifth.
  test.each(HOSTILE.filter((_, at) => at % 5 === 0))(
    '%s, to a tenant whose settings accept requests',
    async (_, data) => {
      const message = messageOf(data)
      const { status } = await raw.sendOn(machine.walletConnectionId, message)
      expect(status).toBeLessThan(500)
      expect((await proofOf(machine, message['@id']))?.state ?? 'request-received').toBe('request-received')
      expect(existsSync(MARKER)).toBe(false)
    },
  )
})

test('a definition that is dear to evaluate ends soon', async () => {
  const fields = Array.from({ length: 100 }, (_, index) => ({
    path: Array.from({ length: 5 }, () => '$..*'),
    filter: { pattern: `^(a|b|[c-z]|${index})*\\d{50}$` },
  }))
  const message = messageOf({
    json: asked({ id: 'it', input_descriptors: [{ id: 'degree', constraints: { fields } }] }),
  })
  const spent = processorTime()
  expect((await answered(message))?.status).toBe(422)
  expect(spent()).toBeLessThan(MAX_LINEAR_MS)
})

test('an honest request of the same kind is answered by both', async () => {
  const message = messageOf({ json: asked(definitionOf({ path: ['$.credentialSubject.degree'] })) })
  expect(await answered(message)).toMatchObject({ status: 200, body: { state: 'presentation-sent' } })
  const again = { ...message, '@id': randomUUID() }
  await raw.sendOn(machine.walletConnectionId, again)
  expect(await proofOf(machine, again['@id'])).toMatchObject({ state: 'presentation-sent' })
})

test('only the credential that was asked for is shown, and none twice', async () => {
  const about = await keyDidOf(prover)
  const issuer = await createTenant(stage, 'Another issuer')
  await hold(issuer, prover, degreeAbout(about, { issuanceDate: '2023-01-01T00:00:00Z' }))
  const filter = { const: '2026-01-01T00:00:00Z' }
  const one = { constraints: { fields: [{ path: ['$.issuanceDate'], filter }] } }
  const message = messageOf({
    json: asked({
      id: 'it',
      input_descriptors: [
        { id: 'a', ...one },
        { id: 'b', ...one },
      ],
    }),
  })
  const answer = await answered(message)
  expect(answer).toMatchObject({ status: 200 })
  const { tenantId } = prover
  const path = { proofRecordId: answer?.body.id }
  const { body } = await stage.call('getProofFormData', { caller: { tenantId }, path })
  const { verifiableCredential, presentation_submission: submission } = body.presentation.presentationExchange
  expect(verifiableCredential).toMatchObject([{ issuanceDate: '2026-01-01T00:00:00Z' }])
  expect(submission.descriptor_map).toMatchObject([
    { id: 'a', path: '$.verifiableCredential[0]' },
    { id: 'b', path: '$.verifiableCredential[0]' },
  ])
})

test('a descriptor whose id is a name of a prototype is one like any other', async () => {
  const of = (id: string) => ({ id, constraints: { fields: [{ path: ['$.credentialSubject.degree'] }] } })
  const definition = { id: 'it', input_descriptors: [of('constructor'), of('toString')] }
  const message = messageOf({ json: asked(definition) })
  expect(await answered(message)).toMatchObject({ status: 200 })
})

test('a counter-proposal never makes the agent ask for something else', async () => {
  const { connectionId, walletConnectionId } = await connect(stage, wallet, caller)
  const { body: request } = await stage.call('requestProof', {
    caller,
    body: {
      connectionId,
      protocolVersion: 'v2',
      autoAcceptProof: 'always',
      proofFormats: { presentationExchange: { presentationDefinition: definitionOf({}) } },
    },
  })
  const proposal = {
    '@type': 'https://didcomm.org/present-proof/2.0/propose-presentation',
    '@id': randomUUID(),
    '~thread': { thid: request.threadId },
    formats: [{ attach_id: 'a', format: 'dif/presentation-exchange/definitions@v1.0' }],
    'proposals~attach': [
      { '@id': 'a', 'mime-type': 'application/json', data: { json: definitionOf({ path: ['$'] }) } },
    ],
  }
  await raw.sendOn(walletConnectionId, proposal)
  const path = { proofRecordId: request.id }
  expect((await stage.call('getProofById', { caller, path })).body).toMatchObject({ state: 'proposal-received' })
  // What could not be enforced is not asked for, though the wallet has proposed it.
  const evil = { ...proposal, '@id': randomUUID(), '~thread': undefined }
  const [[, script = ''] = []] = scriptPaths(PROGRAM)
  evil['proposals~attach'] = [
    { '@id': 'a', 'mime-type': 'application/json', data: { json: definitionOf({ path: [script] }) } },
  ]
  await raw.sendOn(walletConnectionId, evil)
  const { body: found } = await stage.call('getProofs', { caller, query: { threadId: evil['@id'] } })
  const accepted = await stage.call('acceptProofProposal', { caller, path: { proofRecordId: found[0].id }, body: {} })
  expect(accepted).toMatchObject({
    status: 422,
    body: {
      details: [
        {
          path: 'proofFormats.presentationExchange.presentationDefinition.input_descriptors.0.constraints.fields.0.path.0',
        },
      ],
    },
  })
  expect(existsSync(MARKER)).toBe(false)
})

test('another tenant cannot present what this one holds', async () => {
  const message = messageOf({ json: asked(definitionOf({ path: ['$.credentialSubject.degree'] })) })
  await raw.sendOn(machine.walletConnectionId, { ...message, '@id': randomUUID() })
  const { tenantId } = await createTenant(stage, 'Thief')
  const { walletConnectionId } = await connect(stage, wallet, { tenantId })
  await raw.sendOn(walletConnectionId, message)
  const { id } = await proofOf({ tenantId, walletConnectionId }, message['@id'])
  const body = { proofFormats: { presentationExchange: { credentials: { degree: [degree] } } } }
  const path = { proofRecordId: id }
  expect(await stage.call('acceptProofRequest', { caller: { tenantId }, path, body })).toMatchObject({
    status: 422,
    body: { details: [{ path: 'proofFormats.presentationExchange.credentials.degree' }] },
  })
})

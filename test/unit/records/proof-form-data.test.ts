import 'reflect-metadata'
import {
  AnonCredsDidCommProofFormatService,
  AnonCredsHolderServiceSymbol,
  DidCommProofV1Protocol,
  LegacyIndyDidCommProofFormatService,
} from '@credo-ts/anoncreds'
import { type AgentContext, JsonTransformer } from '@credo-ts/core'
import {
  DidCommDifPresentationExchangeProofFormatService,
  type DidCommMessage,
  DidCommProofV2Protocol,
} from '@credo-ts/didcomm'
import { describe, expect, test } from 'vitest'
import { proofFormData } from '../../../lib/records/proof-form-data.ts'

type Message = { '@type': string; [field: string]: unknown }

const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64')

const proof = (protocolVersion: string) => ({
  value: {
    id: 'p',
    createdAt: '2026-11-20T17:39:53.046Z',
    metadata: {},
    protocolVersion,
    state: 'presentation-received',
    role: 'verifier',
    threadId: 't',
  },
  tags: { threadId: 't' },
})

const stored = (messages: Message[]) =>
  messages.map((message, index) => ({
    value: { message, associatedRecordId: 'p', createdAt: `2026-11-20T17:39:5${index}.000Z` },
    tags: {},
  }))

const formDataOf = (version: string, messages: Message[]) => {
  const { proposal, request, presentation } = proofFormData(proof(version), stored(messages))
  return JSON.parse(JSON.stringify({ proposal, request, presentation }))
}

/** Credo's own getFormatData, on a repository that holds these messages. */
const credoFormData = async (version: string, messages: Message[]) => {
  const indy = new LegacyIndyDidCommProofFormatService()
  const protocol =
    version === 'v1'
      ? new DidCommProofV1Protocol({ indyProofFormat: indy })
      : new DidCommProofV2Protocol({
          proofFormats: [
            indy,
            new AnonCredsDidCommProofFormatService(),
            new DidCommDifPresentationExchangeProofFormatService(),
          ],
        })
  const repository = {
    findAgentMessage: async (
      _: unknown,
      { messageClass }: { messageClass: { new (): DidCommMessage; type: { messageName: string } } },
    ) => {
      const found = messages.find((message) => message['@type'].endsWith(`/${messageClass.type.messageName}`))
      return found ? JsonTransformer.fromJSON(found, messageClass) : null
    },
  }
  const resolve = (token: unknown) =>
    token === AnonCredsHolderServiceSymbol ? { generateNonce: () => 'random' } : repository
  const context = { resolve, dependencyManager: { resolve } } as unknown as AgentContext
  return JSON.parse(JSON.stringify(await protocol.getFormatData(context, 'p')))
}

const v2 = (name: string, attach: string, parts: [id: string, format: string, data: object][]): Message => ({
  '@type': `https://didcomm.org/present-proof/2.0/${name}`,
  '@id': name,
  formats: parts.map(([attach_id, format]) => ({ attach_id, format })),
  [attach]: parts.map(([id, , data]) => ({ '@id': id, 'mime-type': 'application/json', data })),
})

const v1 = (name: string, more: object): Message => ({
  ...{ '@type': `https://didcomm.org/present-proof/1.0/${name}`, '@id': name },
  ...more,
})

const indyRequest = {
  name: 'degree',
  version: '1.0',
  nonce: '17',
  requested_attributes: { a: { name: 'degree' } },
  requested_predicates: {},
}
const definition = { presentation_definition: { id: 'd', input_descriptors: [] }, options: { challenge: 'c' } }
/** An unqualified identifier: version 1 knows no other. */
const CREDENTIAL_DEFINITION = 'Th7MpTaRZVRYnPiabds81Y:3:CL:17:tag'
const REQUEST = 'hlindy/proof-req@v2.0'

const EXCHANGES: [name: string, version: string, messages: Message[]][] = [
  ['nothing', 'v2', []],
  [
    'a request in all three formats, in base64 and in JSON',
    'v2',
    [
      v2('request-presentation', 'request_presentations~attach', [
        ['1', REQUEST, { base64: base64(indyRequest) }],
        [
          '2',
          'anoncreds/proof-request@v1.0',
          { base64: Buffer.from(JSON.stringify({ ä: 'ö' })).toString('base64url') },
        ],
        ['3', 'dif/presentation-exchange/definitions@v1.0', { json: definition }],
        ['4', 'unheard-of@v1.0', { json: {} }],
      ]),
    ],
  ],
  [
    'proposal, request and presentation',
    'v2',
    [
      v2('propose-presentation', 'proposals~attach', [['x', REQUEST, { json: indyRequest }]]),
      v2('request-presentation', 'request_presentations~attach', [['y', REQUEST, { json: indyRequest }]]),
      v2('presentation', 'presentations~attach', [
        ['z', 'hlindy/proof@v2.0', { base64: base64({ proof: {} }), json: { proof: 'another' } }],
        ['a', 'anoncreds/proof@v1.0', { json: { proof: 'a' } }],
      ]),
    ],
  ],
  [
    'a format twice: the first counts',
    'v2',
    [
      v2('request-presentation', 'request_presentations~attach', [
        ['1', REQUEST, { json: { first: true } }],
        ['2', REQUEST, { json: { first: false } }],
      ]),
    ],
  ],
  ['a request without formats', 'v2', [v2('request-presentation', 'request_presentations~attach', [])]],
  [
    'request and presentation of version 1',
    'v1',
    [
      v1('request-presentation', {
        'request_presentations~attach': [
          { '@id': 'other', data: { json: { wrong: true } } },
          { '@id': 'libindy-request-presentation-0', data: { base64: base64(indyRequest) } },
        ],
      }),
      v1('presentation', {
        'presentations~attach': [
          { '@id': 'libindy-presentation-0', data: { base64: base64({ requested_proof: {} }) } },
        ],
      }),
    ],
  ],
  [
    'a request of version 1 whose attachment has another id',
    'v1',
    [
      {
        '@type': 'did:sov:BzCbsNYhMrjHiqZDTUASHg;spec/present-proof/1.0/request-presentation',
        '@id': 'request-1',
        'request_presentations~attach': [{ '@id': 'other', data: { json: {} } }],
      },
    ],
  ],
  [
    'a proposal of version 1 that groups attributes, answered by a request',
    'v1',
    [
      v1('propose-presentation', {
        presentation_proposal: {
          '@type': 'https://didcomm.org/present-proof/1.0/presentation-preview',
          attributes: [
            { name: 'given', cred_def_id: CREDENTIAL_DEFINITION, referent: 'name' },
            { name: 'family', cred_def_id: CREDENTIAL_DEFINITION, referent: 'name' },
            { name: 'degree', cred_def_id: CREDENTIAL_DEFINITION, referent: 'degree' },
          ],
          predicates: [],
        },
      }),
      v1('request-presentation', {
        'request_presentations~attach': [{ '@id': 'libindy-request-presentation-0', data: { json: indyRequest } }],
      }),
    ],
  ],
]

describe("form data is equal to Credo's", () => {
  test.each(EXCHANGES)('of %s', async (_, version, messages) => {
    expect(formDataOf(version, messages)).toEqual(await credoFormData(version, messages))
  })
})

describe('form data', () => {
  test('holds the fields of the proof record', () => {
    expect(proofFormData(proof('v2'), [])).toEqual({
      ...proof('v2').value,
      _tags: { threadId: 't', state: 'presentation-received', role: 'verifier' },
    })
  })

  const written = v2('presentation', 'presentations~attach', [
    ['1', 'dif/presentation-exchange/submission@v1.0', { json: { verifiableCredential: ['written'] } }],
    ['2', 'dif/presentation-exchange/definitions@v1.0', { json: { verifiableCredential: ['written'] } }],
    ['3', 'hlindy/proof@v2.0', { json: { requested_proof: {} } }],
  ])

  test('shows a JSON-LD presentation as it was verified, not the wallet’s JSON', () => {
    const unverified = proofFormData(proof('v2'), stored([written]))
    expect(unverified.presentation).toEqual({ indy: { requested_proof: {} } })
    const verified = proof('v2')
    verified.value.metadata = { '_presentationExchange/presentation': { verifiableCredential: ['signed'] } }
    const json = proofFormData(verified, stored([written]))
    expect(json).toMatchObject({ presentation: { presentationExchange: { verifiableCredential: ['signed'] } } })
    expect(json.metadata).toEqual({})
  })

  test('shows a prover its own JSON of a JSON-LD presentation', () => {
    const { value, tags } = proof('v2')
    const { presentation } = proofFormData({ value: { ...value, role: 'prover' }, tags }, stored([written]))
    expect(presentation).toMatchObject({ presentationExchange: { verifiableCredential: ['written'] } })
  })

  test('leaves out malformed parts, and shows the rest', () => {
    const garbled = v2('request-presentation', 'request_presentations~attach', [
      ['1', REQUEST, { base64: '!!' }],
      ['2', 'dif/presentation-exchange/definitions@v1.0', { json: definition }],
      ['3', 'anoncreds/proof-request@v1.0', {}],
    ])
    expect(formDataOf('v2', [garbled])).toEqual({ request: { presentationExchange: definition } })
  })

  test('ignores messages that are malformed', () => {
    const broken = [
      {},
      { '@type': 7 },
      { '@type': 'https://didcomm.org/present-proof/2.0/presentation', formats: 'x', 'presentations~attach': 'y' },
      {
        '@type': 'https://didcomm.org/present-proof/2.0/request-presentation',
        formats: [null],
        'request_presentations~attach': [null],
      },
    ]
    const records = [...broken.map((message) => ({ value: { message }, tags: {} })), { value: {}, tags: {} }]
    expect(() => proofFormData(proof('v2'), records)).not.toThrow()
  })

  test('has the newest of several messages of one type', () => {
    const request = (name: string) =>
      v2('request-presentation', 'request_presentations~attach', [['1', REQUEST, { json: { name } }]])
    expect(formDataOf('v2', [request('old'), request('new')])).toEqual({ request: { indy: { name: 'new' } } })
  })

  test('gives unnamed parts of a preview of version 1 stable names: each read has the same', () => {
    const proposal = v1('propose-presentation', {
      presentation_proposal: {
        attributes: [{ name: 'degree', cred_def_id: 'cd' }],
        predicates: [{ name: 'age', cred_def_id: 'cd', predicate: '>=', threshold: 18 }],
      },
    })
    const restrictions = [{ cred_def_id: 'cd' }]
    expect(formDataOf('v1', [proposal])).toEqual({
      proposal: {
        indy: {
          name: 'Proof Request',
          version: '1.0',
          requested_attributes: { 'attribute-0': { name: 'degree', restrictions } },
          requested_predicates: { 'predicate-0': { name: 'age', p_type: '>=', p_value: 18, restrictions } },
        },
      },
    })
  })
})

test('a preview of version 1 that names no definition restricts nothing', () => {
  const proposal = v1('propose-presentation', {
    presentation_proposal: { attributes: [{ name: 'degree' }], predicates: [] },
  })
  expect(formDataOf('v1', [proposal])).toMatchObject({
    proposal: { indy: { requested_attributes: { 'attribute-0': { restrictions: [{}] } } } },
  })
})

test('the formats in which a presentation was verified are shown, of those that were requested', () => {
  const data = { base64: base64({}) }
  const messages = [
    v2('request-presentation', 'request_presentations~attach', [
      ['a', 'anoncreds/proof-request@v1.0', data],
      ['b', 'dif/presentation-exchange/definitions@v1.0', data],
    ]),
    v2('presentation', 'presentations~attach', [
      ['a', 'anoncreds/proof@v1.0', data],
      ['b', 'hlindy/proof@v2.0', data],
    ]),
  ]
  const asVerified = (isVerified: boolean) => {
    const { value, tags } = proof('v2')
    return proofFormData({ value: { ...value, isVerified }, tags }, stored(messages))
  }
  expect(asVerified(true)).toMatchObject({ verifiedFormats: ['anoncreds'] })
  expect(asVerified(true)).not.toHaveProperty('presentedAttributes.indy')
  expect(asVerified(false)).not.toHaveProperty('verifiedFormats')
})

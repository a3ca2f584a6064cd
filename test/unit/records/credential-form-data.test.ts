/** Form data of credential exchanges, of messages that other agents have written as they like. */
import { describe, expect, test } from 'vitest'
import { credentialFormData } from '../../../lib/records/credential-form-data.ts'

type Message = Record<string, unknown>

const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64')

const exchange = (protocolVersion: string) => ({ value: { id: 'c', protocolVersion }, tags: {} })

const stored = (messages: unknown[]) =>
  messages.map((message, index) => ({ value: { message, createdAt: `2026-11-20T17:39:5${index}.000Z` }, tags: {} }))

const offer = (changes: Message = {}): Message => ({
  '@type': 'https://didcomm.org/issue-credential/2.0/offer-credential',
  formats: [{ attach_id: 'a', format: 'aries/ld-proof-vc-detail@v1.0' }],
  'offers~attach': [{ '@id': 'a', data: { base64: base64({ credential: 1 }) } }],
  ...changes,
})

describe('form data', () => {
  test('have the newest message of each part, and nothing of the other version', () => {
    const first = offer({ 'offers~attach': [{ '@id': 'a', data: { json: { credential: 'old' } } }] })
    const other = { ...first, '@type': 'https://didcomm.org/issue-credential/1.0/offer-credential' }
    expect(credentialFormData(exchange('v2'), stored([first, offer(), other]))).toEqual({
      offer: { jsonld: { credential: 1 } },
    })
  })

  test('of version 1 have the members of its proposal besides the attributes', () => {
    const proposal = {
      '@type': 'did:sov:BzCbsNYhMrjHiqZDTUASHg;spec/issue-credential/1.0/propose-credential',
      cred_def_id: 'd',
      schema_id: 's',
      issuer_did: 'i',
      schema_issuer_did: 'si',
      schema_name: 'n',
      schema_version: '1.0',
      comment: 'c',
      credential_proposal: { attributes: [{ name: 'age', value: '24' }, { name: 'no value' }, 'junk'] },
    }
    expect(credentialFormData(exchange('v1'), stored([proposal]))).toEqual({
      proposal: {
        indy: {
          ...{ cred_def_id: 'd', schema_id: 's', issuer_did: 'i' },
          ...{ schema_issuer_did: 'si', schema_name: 'n', schema_version: '1.0' },
        },
      },
      proposalAttributes: [{ name: 'age', 'mime-type': 'text/plain', value: '24' }],
    })
  })

  test.each([
    ['offer-credential', 'offers~attach', 'libindy-cred-offer-0', { offer: { indy: { nonce: '1' } } }],
    ['request-credential', 'requests~attach', 'libindy-cred-request-0', { request: { indy: { nonce: '1' } } }],
    ['issue-credential', 'credentials~attach', 'libindy-cred-0', { credential: { indy: { nonce: '1' } } }],
    ['offer-credential', 'offers~attach', 'another', { offer: {} }],
  ])('of version 1 have the content of the attachment of %s with the required id: %s, %s', (name, list, id, data) => {
    const message = {
      '@type': `https://didcomm.org/issue-credential/1.0/${name}`,
      [list]: [{ '@id': id, data: { base64: base64({ nonce: '1' }) } }],
    }
    expect(credentialFormData(exchange('v1'), stored([message]))).toEqual(data)
  })

  test.each<[string, unknown, object]>([
    ['no message', null, {}],
    ['of another protocol', { '@type': 'https://didcomm.org/present-proof/2.0/presentation' }, {}],
    ['without formats', offer({ formats: undefined }), { offer: {} }],
    ['whose formats are not a list', offer({ formats: { attach_id: 'a' } }), { offer: {} }],
    ['whose format is no text', offer({ formats: [{ attach_id: 'a', format: 7 }] }), { offer: {} }],
    ['of an unknown format', offer({ formats: [{ attach_id: 'a', format: 'x@v1' }] }), { offer: {} }],
    ['without attachments', offer({ 'offers~attach': undefined }), { offer: {} }],
    [
      'with an attachment that is not JSON',
      offer({ 'offers~attach': [{ '@id': 'a', data: { base64: '!' } }] }),
      { offer: {} },
    ],
    ['whose preview is not an object', offer({ credential_preview: 'x' }), { offer: { jsonld: { credential: 1 } } }],
    [
      'whose attributes are not a list',
      offer({ credential_preview: { attributes: {} } }),
      { offer: { jsonld: { credential: 1 } }, offerAttributes: [] },
    ],
  ])('survive a message that is %s', (_, message, data) => {
    expect(credentialFormData(exchange('v2'), stored([message]))).toEqual(data)
  })

  test.each([
    ['propose-credential', 'proposal', 'filters~attach', 'hlindy/cred-filter@v2.0', 'indy'],
    ['propose-credential', 'proposal', 'filters~attach', 'anoncreds/credential-filter@v1.0', 'anoncreds'],
    ['propose-credential', 'proposal', 'filters~attach', 'aries/ld-proof-vc-detail@v1.0', 'jsonld'],
    ['offer-credential', 'offer', 'offers~attach', 'hlindy/cred-abstract@v2.0', 'indy'],
    ['offer-credential', 'offer', 'offers~attach', 'anoncreds/credential-offer@v1.0', 'anoncreds'],
    ['request-credential', 'request', 'requests~attach', 'hlindy/cred-req@v2.0', 'indy'],
    ['request-credential', 'request', 'requests~attach', 'anoncreds/credential-request@v1.0', 'anoncreds'],
    ['issue-credential', 'credential', 'credentials~attach', 'hlindy/cred@v2.0', 'indy'],
    ['issue-credential', 'credential', 'credentials~attach', 'anoncreds/credential@v1.0', 'anoncreds'],
    ['issue-credential', 'credential', 'credentials~attach', 'aries/ld-proof-vc@v1.0', 'jsonld'],
  ])(
    'have the content of a %s of version 2, as the %s, in its %s of the format %s',
    (name, part, attachments, format, key) => {
      const message = {
        '@type': `https://didcomm.org/issue-credential/2.0/${name}`,
        formats: [{ attach_id: 'a', format }],
        [attachments]: [{ '@id': 'a', data: { base64: base64({ x: 1 }) } }],
      }
      expect(credentialFormData(exchange('v2'), stored([message]))).toEqual({ [part]: { [key]: { x: 1 } } })
    },
  )
})

/** How holder and verifier read claims that are lists: both read the signed form, in which a list of one is its element. */
import { describe, expect, test } from 'vitest'
import { degreeAbout, hold, keyDidOf } from '../support/held-degree.ts'
import { createTenant, requestBody } from '../support/scenes.ts'
import type { Json, Reply } from '../support/stage/in-process-stage.ts'
import { useStage } from '../support/stage/use-stage.ts'
import { connectTenants } from '../support/tenants.ts'
import { waitFor } from '../wallet/wait.ts'

const stage = await useStage()
const verifier = await createTenant(stage, 'Verifier')
const holder = await createTenant(stage, 'Holder')
const { connectionId } = await connectTenants(stage, verifier, holder)
const subject = await keyDidOf(holder)

const XSD = 'http://www.w3.org/2001/XMLSchema#'
const terms = Object.fromEntries(
  Object.entries({
    ...{ courses: {}, grade: {}, roles: {}, age: { '@type': `${XSD}integer` }, meta: { '@type': '@json' } },
    ...{ tags: { '@container': '@set' }, steps: { '@container': '@list' }, sites: { '@type': '@id' } },
    ...{ path: { '@container': '@list', '@type': '@id' }, ages: { '@container': '@list', '@type': `${XSD}integer` } },
  }).map(([name, more]) => [name, { '@id': `https://example.org/sets#${name}`, ...more }]),
)
const contexts = { 'https://example.org/sets/v1': { '@context': terms } }

const holdClaims = (claims: object, isList: boolean): Promise<string> => {
  const about = { id: subject, ...claims }
  const context = ['https://www.w3.org/2018/credentials/v1', terms]
  const type = ['VerifiableCredential']
  return hold(verifier, holder, {
    ...degreeAbout(subject),
    ...{ '@context': context, type, credentialSubject: isList ? [about] : about },
  })
}

const ask = (...fields: object[]): Promise<Reply> => {
  const presentationDefinition = { id: 'sets', input_descriptors: [{ id: 'it', constraints: { fields } }] }
  const proofFormats = { presentationExchange: { presentationDefinition, options: { contexts } } }
  return stage.call('requestProof', { caller: verifier, body: { ...requestBody, connectionId, proofFormats } })
}

const inState = (caller: { tenantId: string }, threadId: string, ...states: string[]): Promise<Json> =>
  waitFor(`the state ${states}`, async () => {
    const { body } = await stage.call('getProofs', { caller, query: { threadId } })
    return states.includes(body[0]?.state) && body[0]
  })

/** Whether the holder presents this credential, which the verifier then must accept. */
const isProved = async (credential: string, field: object): Promise<boolean> => {
  const asked = await ask(field)
  expect(asked).toMatchObject({ status: 200 })
  const { id } = await inState(holder, asked.body.threadId, 'request-received')
  const body = { proofFormats: { presentationExchange: { credentials: { it: [credential] } } } }
  const path = { proofRecordId: id }
  const { status } = await stage.call('acceptProofRequest', { caller: holder, path, body })
  if (status === 422) return false
  const proof = await inState(verifier, asked.body.threadId, 'done', 'abandoned')
  expect(proof).toMatchObject({ state: 'done', isVerified: true })
  return true
}

const CLAIMS = {
  ...{ courses: [{ grade: 'A' }], roles: ['x', 'x'], tags: ['t'], steps: ['only'], meta: ['m'], age: '18' },
  ...{ sites: [{ id: 'urn:site' }], path: [{ id: 'urn:1' }], ages: [1] },
}

describe.each([false, true])('a credential with sets of one, its subject in a list: %s', (isList) => {
  const held = holdClaims(CLAIMS, isList)
  const about = '$.credentialSubject'

  const FIELDS: [boolean, string, object?][] = [
    [true, `${about}.courses[*].grade`],
    [true, `${about}.courses[0].grade`, { const: 'A' }],
    [true, `${about}.courses[-1].grade`],
    [true, `${about}.courses[:1].grade`],
    [true, `${about}.courses.grade`],
    [true, `${about}.courses`, { type: 'array' }],
    [true, `${about}.courses`, { type: 'object' }],
    [false, `${about}.courses`, { not: { type: 'array' } }],
    [true, `${about}.courses[*]`, { not: { type: 'array' } }],
    [true, `${about}[*].roles`, { const: 'x' }],
    [true, `${about}[0].roles`, { contains: { const: 'x' } }],
    [true, `${about}.roles`, { items: { pattern: '^x$' } }],
    [false, `${about}.roles`, { not: { contains: { const: 'x' } } }],
    [true, `${about}.tags`, { const: 't' }],
    [true, `${about}.tags[0]`, { const: 't' }],
    [true, `${about}.steps`, { contains: { const: 'only' } }],
    [true, `${about}.steps[0]`, { const: 'only' }],
    [false, `${about}.steps`, { const: 'only' }],
    [false, `${about}.steps[0][0]`],
    [true, `${about}.meta[0]`, { const: 'm' }],
    [false, `${about}.meta`, { const: 'm' }],
    [true, `${about}.age`, { minimum: 18 }],
    [false, `${about}.age`, { type: 'string' }],
    [true, `${about}.sites`, { const: 'urn:site' }],
    [true, `${about}.path`, { items: { const: 'urn:1' } }],
    [true, `${about}.ages[0]`, { const: 1 }],
  ]

  // The list of one is read alike whatever is in it.
  test.each(FIELDS.filter((_, at) => !isList || at % 5 === 0))(
    'proves (%s) %s with %j',
    async (proved, path, filter) => {
      expect(await isProved(await held, { path: [path], ...(filter && { filter }) })).toBe(proved)
    },
  )
})

describe('a credential with sets and lists of several', () => {
  const lists = { steps: ['b', 'a'], path: ['urn:2', 'urn:1'].map((id) => ({ id })), ages: [2, 1] }
  const held = holdClaims({ roles: ['b', 'a'], meta: { a: [['m'], 's'] }, ...lists }, false)
  const about = '$.credentialSubject'

  test.each<[boolean, string[], object?]>([
    [false, [`${about}.roles[0]`]],
    [false, [`${about}.roles[0]`], { not: { const: 'c' } }],
    [false, [`${about}.roles[-1]`, `${about}.roles[:1]`, `${about}.roles[0,-1]`]],
    [true, [`${about}.roles[0]`, `${about}.roles[*]`], { const: 'b' }],
    [true, [`${about}.roles[:]`], { const: 'b' }],
    [false, [`${about}.roles`], { type: 'string' }],
    [true, [`${about}.steps[0]`], { const: 'b' }],
    [true, [`${about}.steps[1]`], { const: 'a' }],
    [true, [`${about}.ages[1:]`], { const: 1 }],
    [true, [`${about}.path[1]`], { const: 'urn:1' }],
    [true, [`${about}.meta.a[1]`], { const: 's' }],
    [false, [`${about}.meta.a[1]`], { type: 'array' }],
    [false, [`${about}.meta.a[0]`], { const: 'm' }],
    [true, ['$.type[0]'], { const: 'VerifiableCredential' }],
  ])('proves (%s) %j with %j', async (proved, path, filter) => {
    expect(await isProved(await held, { path, ...(filter && { filter }) })).toBe(proved)
  })

  test('does not prove a value at an index that may be absent', async () => {
    expect(await isProved(await held, { path: [`${about}.roles[0]`], optional: true })).toBe(false)
    expect(await isProved(await held, { path: [`${about}.courses[0]`], optional: true })).toBe(true)
  })
})

describe('a request', () => {
  const AT = 'proofFormats.presentationExchange.presentationDefinition.input_descriptors.0.constraints.fields'

  test.each(['roles[1]', 'roles[-2]', 'roles[1:]', 'roles[:2]', 'roles[-1:]', 'roles[1,2]', 'steps[*].roles[1]'])(
    'for %s, which has no order, is refused',
    async (path) => {
      const field = { path: [`$.credentialSubject.${path}`, '$.issuer[1]'] }
      expect(await ask({ path: ['$.issuer'] }, field)).toMatchObject({
        status: 422,
        body: { details: [{ path: `${AT}.1.path` }] },
      })
      expect(await ask({ path: [...field.path, '$.type[1]'] })).toMatchObject({ status: 200 })
    },
  )

  test.each([
    'roles[0,1]',
    'roles[0:1]',
    'roles[::-1]',
    'roles[0:]',
    'steps[1]',
    'steps[0][1]',
    'meta.a[1]',
    'type[1]',
  ])('for %s is sent', async (path) => {
    expect(await ask({ path: [`$.credentialSubject.${path}`] })).toMatchObject({ status: 200 })
  })
})

/**
 * The OpenAPI document for those who make clients of it: complete schemas, links that lead somewhere, types that
 * compile.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { fetchModule, lint, typesOf } from 'openapi-tools'
import * as v from 'valibot'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describeInterface, EXAMPLES } from '../../../lib/http/openapi.ts'
import { text } from '../../../lib/interface/fields.ts'
import type { Json } from '../../support/stage/in-process-stage.ts'

/** As callers get it. */
const document: Json = JSON.parse(JSON.stringify(describeInterface({ version: '1', url: 'https://agent.example' })))

const operations: Json[] = Object.values<Json>(document.paths).flatMap((item) => Object.values(item))
const operationNamed = (operationId: string) => operations.find((operation) => operation.operationId === operationId)

test('is in order by Redocly’s rules, and every field of every example is in its schema', async () => {
  const problems = await lint(document, {
    'no-invalid-media-type-examples': { severity: 'error', allowAdditionalProperties: false },
    'operation-operationId-unique': 'error',
    'operation-tag-defined': 'error',
    'operation-singular-tag': 'error',
    'no-unused-components': 'error',
    // The paths are credo-controller's: `/credentials/w3c/{id}` beside `/credentials/{id}/form-data`. The gateway takes
    // the literal first.
    'no-ambiguous-paths': 'off',
  })
  expect(problems).toEqual([])
})

test('an example with a field that its schema does not name is found', async () => {
  const broken = structuredClone(document)
  broken.paths['/connections/{connectionId}'].get.responses[200].content['application/json'].example.news = 1
  const problems = await lint(broken, {
    'no-invalid-media-type-examples': { severity: 'error', allowAdditionalProperties: false },
  })
  expect(problems.filter((problem) => problem.includes('example/news'))).toHaveLength(1)
})

describe('links', () => {
  const ofBody = (pointer: string) => `$response.body#/${pointer}`
  const links = operations.flatMap((operation) =>
    Object.values<Json>(operation.responses).flatMap((response) =>
      Object.values<Json>(response.links ?? {}).map((link) => ({ from: operation.operationId, link })),
    ),
  )

  test('lead to operations that have these parameters, and give all that their paths need', () => {
    expect(links.length).toBeGreaterThan(50)
    for (const { from, link } of links) {
      const target = operationNamed(link.operationId)
      const parameters: Json[] = (target?.parameters ?? []).filter((parameter: Json) => parameter.in !== undefined)
      const given = Object.keys(link.parameters)
      expect(
        parameters.map(({ name }) => name),
        `${from} to ${link.operationId}`,
      ).toEqual(expect.arrayContaining(given))
      const needed = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)
      expect(given, `${from} to ${link.operationId}`).toEqual(expect.arrayContaining(needed))
    }
  })

  test('lead to other operations, by each id that a response has', () => {
    expect(links.filter(({ from, link }) => from === link.operationId)).toEqual([])
    const used = new Set(links.flatMap(({ link }) => Object.values<string>(link.parameters)))
    expect([...used].toSorted()).toEqual([
      '$request.path.orgId',
      ...['connectionRecord/id', 'credentialRecordId', 'data/id', 'did', 'id', 'orgId', 'outOfBandRecord/id'].map(
        ofBody,
      ),
      ...['proofRecordId', 'schemaId'].map(ofBody),
    ])
  })

  test('take what is in the examples', () => {
    const at = (value: unknown, pointer: string) =>
      pointer
        .slice(1)
        .split('/')
        .reduce<Json>((part, name) => part?.[name], value)
    let taken = 0
    for (const { from, link } of links)
      for (const expression of Object.values<string>(link.parameters)) {
        const [, part, pointer = ''] = /^\$(request|response)\.body#(\/.+)$/.exec(expression) ?? []
        const example = EXAMPLES[from]?.[part === 'request' ? 'request' : 'response']
        // A connection is there after some invitations only.
        if (part === undefined || example === undefined || pointer.startsWith('/connectionRecord')) continue
        expect(at(example, pointer), `${from} ${expression}`).toEqual(expect.any(String))
        taken += 1
      }
    expect(taken).toBeGreaterThan(30)
  })
})

test('says how lengths are counted, other than JSON Schema does', () => {
  expect(['😀a', '😀😀'].map((value) => v.is(text(3), value))).toEqual([true, false])
  expect(document.info.description).toContain('Lengths are in UTF-16 code units')
})

describe('generators of clients for other languages find', () => {
  /** Schemas that are `true` or `false`, by keyword or property. */
  const booleanSchemas = (value: Json): string[] =>
    Object.entries<Json>(Object(value)).flatMap(([name, member]) => {
      if (name === 'example') return []
      const schemas: Json = name === 'properties' ? member : ['items', 'not'].includes(name) ? { [name]: member } : {}
      const named = Object.keys(schemas).filter((one) => typeof schemas[one] === 'boolean')
      return [...named, ...(typeof member === 'object' ? booleanSchemas(member) : [])]
    })

  test('no schema that is a boolean, which many do not read', () => {
    expect(booleanSchemas({ items: false, properties: { a: { not: true }, b: false } })).toEqual(['items', 'b', 'not'])
    expect(booleanSchemas(document)).toEqual([])
  })

  /** Of all properties. */
  const propertiesIn = (value: Json): Json[] =>
    Object.entries<Json>(Object(value)).flatMap(([name, member]) =>
      name === 'example' || typeof member !== 'object'
        ? []
        : [...(name === 'properties' ? Object.values<Json>(member) : []), ...propertiesIn(member)],
    )

  test('a type beside each constant, or some send null, and none that is a boolean, or some write broken code', () => {
    const constants = propertiesIn(document).filter((schema) => 'const' in schema)
    expect(new Set(constants.map(({ const: value, type }) => [typeof value, type].join()))).toEqual(
      new Set(['string,string', 'number,number']),
    )
    const { properties } = document.paths['/anoncreds/schemas'].post.requestBody.content['application/json'].schema
    expect(properties).toMatchObject({ endorse: { type: 'boolean' }, endorserDid: { type: 'string', const: '' } })
  })

  test('no property that must be absent: some send null for it', () => {
    expect(propertiesIn(document).filter(({ not }) => not !== undefined && Object.keys(not).length === 0)).toEqual([])
    expect(document.components.schemas.JsonLdCredential.not).toEqual({ required: ['proof'] })
  })

  test('objects that are no union: of one with alternatives some make types without fields', () => {
    const { schema } = operationNamed('ReplayWebhookEvents')?.requestBody.content['application/json'] ?? {}
    const oneOf = (...required: string[]) => ({ not: { required }, if: { required: [required[1]] } })
    expect(schema).toMatchObject(oneOf('since', 'eventId'))
    expect(document.components.schemas.SubmissionRequirement).toMatchObject(oneOf('from', 'from_nested'))
    expect(JSON.stringify(document)).not.toContain('"oneOf"')
  })

  test('no name in two spellings, which generated code has twice', () => {
    const lists = JSON.stringify(document).match(/"goal_code"(?:(?!"@type").){1,300}/g) ?? []
    expect(lists.length).toBeGreaterThan(0)
    expect(lists.filter((list) => list.includes('"goalCode"'))).toEqual([])
  })

  test('bytes where the response is bytes, not text', () => {
    const { content } = operationNamed('GetTailsFile')?.responses[200] ?? {}
    expect(content).toEqual({ 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } })
  })

  test('operations and events under different tags, since some make a file of each tag', () => {
    const ofEvents = Object.values<Json>(document.webhooks).flatMap(({ post }) => post.tags)
    expect(new Set(ofEvents)).toEqual(new Set(['Events']))
    expect(operations.filter(({ tags }) => tags.includes('Events'))).toEqual([])
  })

  test('one type for all errors, which has the message', () => {
    const responses = [document.components.responses, ...operations.map((operation) => operation.responses)]
      .flatMap((named) => Object.values<Json>(named))
      .flatMap(({ content }) => content?.['application/json'] ?? [])
      .filter(({ example }) => example?.statusCode >= 400 && ![401, 403].includes(example.statusCode))
    expect(responses.length).toBeGreaterThan(20)
    expect(new Set(responses.map(({ schema }) => schema.$ref))).toEqual(new Set(['#/components/schemas/Error']))
  })
})

/** What an author of a client would write. */
const CLIENT = `
import createClient from 'openapi-fetch'
import type { components, paths } from './interface.ts'

const client = createClient<paths>({ baseUrl: 'https://agent.example' })

export const connect = async (token: string): Promise<components['schemas']['ConnectionRecord'][]> => {
  const headers = { authorization: \`Bearer \${token}\` }
  const invited = await client.POST('/oob/create-invitation', { headers, body: { label: 'Acme', goal: 'Meet us' } })
  if (invited.error !== undefined) throw new Error(invited.error.error)
  const { outOfBandRecord, shortInvitationUrl } = invited.data
  console.log(shortInvitationUrl, outOfBandRecord.outOfBandInvitation.label, outOfBandRecord.reusable)
  const query = { outOfBandId: outOfBandRecord.id, limit: 10 }
  const { data = [] } = await client.GET('/connections', { headers, params: { query } })
  const [first] = data
  if (first !== undefined) {
    const path = { connectionId: first.id }
    const sent = await client.POST('/basic-messages/{connectionId}', { headers, params: { path }, body: { content: 'Hello' } })
    console.log(sent.data?.content, first.previousDids, first._tags.theirDid)
    const credential: components['schemas']['JsonLdCredential'] = {
      '@context': ['https://www.w3.org/2018/credentials/v1', { degree: 'https://example.org/degree' }],
      type: ['VerifiableCredential'],
      issuanceDate: '2026-01-01T00:00:00Z',
      credentialSubject: { id: 'did:key:z6Mk', degree: 'Bachelor' },
    }
    const jsonld = { credential, options: { proofType: 'Ed25519Signature2018' } } as const
    const offer = { connectionId: first.id, protocolVersion: 'v2', credentialFormats: { jsonld } } as const
    await client.POST('/credentials/create-offer', { headers, body: offer })
  }
  return data
}
`

/** Each breaks the interface in one place. */
const MISTAKES: [name: string, code: string][] = [
  ['a path that is none', "client.GET('/connection')"],
  ['a method that the path does not have', "client.DELETE('/credentials')"],
  ['a field of another type', "client.POST('/oob/create-invitation', { body: { label: 7 } })"],
  [
    'a body without what it needs',
    "client.POST('/basic-messages/{connectionId}', { params: { path: { connectionId: 'c' } }, body: {} })",
  ],
  ['a filter of another type', "client.GET('/connections', { params: { query: { limit: 'ten' } } })"],
  ['a parameter that is missing', "client.GET('/connections/{connectionId}', { params: { path: {} } })"],
  ['a field of the answer that is none', "(await client.GET('/health')).data?.version.major"],
]

describe('a client that is generated', () => {
  let folder: string

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'client-'))
    await writeFile(join(folder, 'interface.ts'), await typesOf(document))
    const options = {
      ...{ strict: true, noEmit: true, target: 'es2022', module: 'esnext', moduleResolution: 'bundler' },
      ...{ allowImportingTsExtensions: true, skipLibCheck: true, lib: ['es2022', 'dom'], types: [] },
      exactOptionalPropertyTypes: true,
      // Beside its declarations.
      paths: { 'openapi-fetch': [fileURLToPath(fetchModule).replace(/\.m?js$/, '.d.mts')] },
    }
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['client.ts'] }))
    await symlink(resolve('node_modules'), join(folder, 'node_modules'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  /** What the compiler says. */
  const compile = async (code: string): Promise<string> => {
    await writeFile(join(folder, 'client.ts'), code)
    const { stdout } = await promisify(execFile)(resolve('node_modules/.bin/tsc'), ['-p', folder]).catch(
      (error: { stdout: string }) => error,
    )
    return stdout
  }

  test('compiles', async () => {
    expect(await compile(CLIENT)).toBe('')
  })

  test('finds mistakes: each in its own line', async () => {
    const calls = MISTAKES.map(([, code]) => code).join(';\n')
    const found = await compile(
      `import createClient from 'openapi-fetch'\nimport type { paths } from './interface.ts'\nconst client = createClient<paths>()\n${calls}`,
    )
    const lines = [...found.matchAll(/client\.ts\((\d+),/g)].map(([, line]) => MISTAKES[Number(line) - 4]?.[0])
    expect([...new Set(lines)]).toEqual(MISTAKES.map(([name]) => name))
  })
})

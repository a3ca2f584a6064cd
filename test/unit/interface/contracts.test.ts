import { readdirSync, readFileSync } from 'node:fs'
import { toJsonSchema } from '@valibot/to-json-schema'
import { build } from 'esbuild'
import type * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { successOf } from '../../../lib/interface/contract.ts'
import { OPERATIONS } from '../../../lib/interface/operations.ts'

const FOLDER = new URL('../../../lib/interface/', import.meta.url).pathname

/** Every exported contract, with its file. */
const exported = readdirSync(FOLDER).flatMap((file) =>
  [...readFileSync(FOLDER + file, 'utf8').matchAll(/export const (\w+) = \/\* @__PURE__ \*\/ defineContract/g)].map(
    ([, name = '']) => ({ file, name }),
  ),
)

describe('the contracts', () => {
  test('are all in the list of operations', () => {
    const operationIds = OPERATIONS.map(({ operationId }) => operationId.replaceAll('_', '').toLowerCase())
    expect(exported.filter(({ name }) => !operationIds.includes(name.toLowerCase()))).toEqual([])
    expect(exported).toHaveLength(OPERATIONS.length)
  })

  test('have different paths', () => {
    const addresses = OPERATIONS.map(({ method, path }) => `${method} ${path}`)
    expect(new Set(addresses).size).toBe(OPERATIONS.length)
  })

  test('are idempotent where they change something for a caller with a token, except a removal, which is a 404 the second time', () => {
    const changing = OPERATIONS.filter(({ method, security }) => method !== 'GET' && security !== 'none').filter(
      ({ operationId }) => operationId !== 'DeleteTenant',
    )
    expect(OPERATIONS.filter(({ idempotent }) => idempotent)).toEqual(changing)
    expect(changing.length).toBeGreaterThan(5)
  })

  test('say which requests and responses contain a secret: their stored copies are sealed', () => {
    const described = (schema: v.GenericSchema) => JSON.stringify(toJsonSchema(schema, { errorMode: 'ignore' }))
    const holding = OPERATIONS.filter(
      (contract) =>
        /whsec_|userPin/.test(described(successOf(contract).schema)) ||
        (contract.body !== undefined && /"(?:seed|privateKey|\w*secret)"/i.test(described(contract.body))),
    )
    expect(holding.map(({ operationId }) => operationId)).toEqual([
      'CreateDid',
      'CreateCredentialOffer',
      'RotateWebhookSecret',
      'RegisterNotificationWebhook',
      'RegisterWebhook',
      'ImportCertificate',
    ])
    expect(OPERATIONS.filter(({ holdsSecret }) => holdsSecret)).toEqual(holding)
  })

  test('have a schema for each parameter in their path', () => {
    for (const { path, tenantPath = path, parameters } of OPERATIONS) {
      const named = [...tenantPath.matchAll(/\{(\w+)\+?\}/g)].map(([, name]) => name)
      const schema = parameters?.path
      const known = schema && 'entries' in schema ? Object.keys(schema.entries ?? {}) : []
      expect(known.toSorted()).toEqual(named.toSorted())
    }
  })

  test.each(exported)('leave the other ones out of the bundle: $name', async ({ file, name }) => {
    const { outputFiles } = await build({
      stdin: { contents: `import { ${name} } from './${file}'; console.log(${name})`, resolveDir: FOLDER },
      bundle: true,
      write: false,
      format: 'esm',
      platform: 'node',
      logLevel: 'silent',
    })
    const operationIds = [...(outputFiles[0]?.text ?? '').matchAll(/operationId: "(\w+)"/g)].map(([, id]) => id)
    expect(operationIds).toHaveLength(1)
  })
})

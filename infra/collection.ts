/**
 * `npm run collection -- [file]`: writes all operations with their examples as a Postman collection (format 2.1),
 * which Bruno and other tools import. The file is `client/collection.json` by default. The variables `url` and `token`
 * are the stage's; ids of paths are variables, too.
 * https://schema.postman.com/collection/json/v2.1.0/draft-07/docs/index.html
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describeInterface } from '../lib/http/openapi.ts'
import packageJson from '../package.json' with { type: 'json' }
import { reason } from './failure.ts'

const LOCAL = 'http://127.0.0.1:3000'

/** The parts of an operation that a collection shows. */
interface Operation {
  summary: string
  description?: string
  tags: string[]
  security: object[]
  parameters?: ({ name: string; in: string } | { $ref: string })[]
  requestBody?: { content: Record<string, { example?: unknown }> }
}

const json = (value: unknown): string => JSON.stringify(value, null, 2)

const bodyOf = (type: string, { example = {} }: { example?: unknown } = {}) => ({
  mode: 'raw',
  raw: type.endsWith('urlencoded') ? `${new URLSearchParams(Object(example))}` : json(example),
})

const itemOf = (path: string, method: string, operation: Operation) => {
  const { summary, description, security, parameters = [], requestBody } = operation
  const namesIn = (place: string) => parameters.flatMap((one) => ('in' in one && one.in === place ? [one.name] : []))
  const [type, media] = Object.entries(requestBody?.content ?? {})[0] ?? []
  const segments = path.replaceAll(/\{(\w+)\}/g, ':$1').slice(1)
  return {
    name: summary,
    request: {
      method: method.toUpperCase(),
      ...(description !== undefined && { description }),
      ...(security.length === 0 && { auth: { type: 'noauth' } }),
      header: type === undefined ? [] : [{ key: 'content-type', value: type }],
      url: {
        ...{ raw: `{{url}}/${segments}`, host: ['{{url}}'], path: segments.split('/') },
        query: namesIn('query').map((key) => ({ key, value: '', disabled: true })),
        variable: namesIn('path').map((key) => ({ key, value: `{{${key}}}` })),
      },
      ...(type !== undefined && { body: bodyOf(type, media) }),
    },
  }
}

const collection = (): object => {
  const { info, tags, paths } = describeInterface({ version: packageJson.version, url: LOCAL })
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, Operation>).map(([method, operation]) => ({ path, method, operation })),
  )
  const folders = tags.map(({ name, description }) => {
    const operationsOfTag = operations.filter(({ operation }) => operation.tags.includes(name))
    return {
      name,
      description,
      item: operationsOfTag.map(({ path, method, operation }) => itemOf(path, method, operation)),
    }
  })
  const ids = new Set(operations.flatMap(({ path }) => [...path.matchAll(/\{(\w+)\}/g)].map(([, id = '']) => id)))
  return {
    info: {
      ...{ name: info.title, version: info.version, description: info.description },
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{token}}', type: 'string' }] },
    variable: [{ key: 'url', value: LOCAL }, ...['token', ...ids].map((key) => ({ key, value: '' }))],
    item: folders.filter(({ item }) => item.length > 0),
  }
}

if (import.meta.main) {
  const [file = 'client/collection.json'] = process.argv.slice(2)
  try {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, `${json(collection())}\n`)
    console.log(`${file}: set its variable token`)
  } catch (error) {
    console.error(reason(error))
    process.exit(1)
  }
}

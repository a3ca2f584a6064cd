/** What a stack has of versions and aliases, asked of a server that answers as CloudFormation and Lambda do. */
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { deleteOldVersions, readVersions } from '../../../infra/canary/deployed.ts'

/** Versions of the functions, and what `live` points to. */
const functions = new Map<string, { versions: string[]; live: string }>()
/** Logical ids of the stack, with their states. */
const resources = new Map<string, string>()
const deleted: string[] = []

const stackResources = () =>
  [...resources]
    .map(
      ([id, status]) =>
        `<member><LogicalResourceId>${id}</LogicalResourceId><PhysicalResourceId>${id}-1</PhysicalResourceId><ResourceType>T</ResourceType><ResourceStatus>${status}</ResourceStatus></member>`,
    )
    .join('')

const answer = ({ method, url = '' }: IncomingMessage, body: string): string => {
  const { pathname, searchParams } = new URL(url, 'http://localhost')
  const [, name = '', part] = /^\/2015-03-31\/functions\/([^/]+)(?:\/(versions|aliases))?/.exec(pathname) ?? []
  if (body.includes('Action=GetTemplate'))
    return '<GetTemplateResponse><GetTemplateResult><TemplateBody>{"Resources":{}}</TemplateBody></GetTemplateResult></GetTemplateResponse>'
  if (name === '')
    return `<ListStackResourcesResponse><ListStackResourcesResult><StackResourceSummaries>${stackResources()}</StackResourceSummaries></ListStackResourcesResult></ListStackResourcesResponse>`
  if (method === 'DELETE') {
    deleted.push(`${name}:${searchParams.get('Qualifier')}`)
    return ''
  }
  const { versions = [], live } = functions.get(name) ?? {}
  if (part === 'aliases') return JSON.stringify({ FunctionVersion: live })
  return JSON.stringify({ Versions: ['$LATEST', ...versions].map((Version) => ({ Version })) })
}

const server = createServer((request, response) => {
  text(request).then((body) => response.end(answer(request, body)))
})
let config: { endpoint: string; region: string; credentials: { accessKeyId: string; secretAccessKey: string } }

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const credentials = { accessKeyId: 'id', secretAccessKey: 'secret' }
  config = { endpoint: `http://127.0.0.1:${port}`, region: 'eu-central-1', credentials }
})
afterAll(() => server.close())
beforeEach(() => {
  functions.clear()
  resources.clear()
  deleted.length = 0
})

test('a stack tells what it has, what its aliases point to, and its template', async () => {
  resources.set('Health', 'UPDATE_COMPLETE').set('HealthAlias', 'CREATE_COMPLETE').set('GoneAlias', 'DELETE_COMPLETE')
  functions.set('health', { versions: ['7'], live: '7' })
  const names = new Map([
    ['HealthAlias', 'health'],
    ['GoneAlias', 'gone'],
    ['NewAlias', 'new'],
  ])
  expect(await readVersions(config, 'stack', names)).toEqual({
    ids: new Set(['Health', 'HealthAlias']),
    versions: new Map([['HealthAlias', '7']]),
    template: '{"Resources":{}}',
  })
})

test('the two newest versions stay, and the one that the alias points to', async () => {
  functions.set('health', { versions: ['8', '9', '10', '11'], live: '11' })
  functions.set('rolledBack', { versions: ['1', '2', '3', '4'], live: '2' })
  functions.set('young', { versions: ['1', '2'], live: '2' })
  await deleteOldVersions(config, functions.keys())
  expect(deleted).toEqual(['health:9', 'health:8', 'rolledBack:1'])
})

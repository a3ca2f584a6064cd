/**
 * `npm run client -- [folder]`: writes a client of the API, typed by its OpenAPI document, as a package whose
 * only dependency is openapi-fetch. The folder is `client` by default.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { typesOf } from 'openapi-tools'
import tools from 'openapi-tools/package.json' with { type: 'json' }
import { describeInterface } from '../lib/http/openapi.ts'
import packageJson from '../package.json' with { type: 'json' }
import { reason } from './failure.ts'

const { license, version } = packageJson

const MANIFEST = {
  ...{ name: 'serverless-agent-client', version, license, private: true, type: 'module' },
  ...{ main: 'index.js', types: 'index.d.ts' },
  dependencies: { 'openapi-fetch': tools.dependencies['openapi-fetch'] },
}

const CODE = `import createClient from 'openapi-fetch'

export const agentClient = (options) => createClient(options)
`

const TYPES = `import type { Client, ClientOptions } from 'openapi-fetch'
import type { paths } from './interface.js'

export type { components, paths, webhooks } from './interface.js'

/** \`baseUrl\` is the address of the stage; \`headers\` has the token: \`{ authorization: 'Bearer ...' }\`. */
export declare const agentClient: (options: ClientOptions) => Client<paths>
`

if (import.meta.main) {
  const [folder = 'client'] = process.argv.slice(2)
  try {
    const files = {
      'package.json': `${JSON.stringify(MANIFEST, null, 2)}\n`,
      'index.js': CODE,
      'index.d.ts': TYPES,
      'interface.d.ts': await typesOf(describeInterface({ version, url: 'http://127.0.0.1:3000' })),
    }
    mkdirSync(folder, { recursive: true })
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
    console.log(`${folder}: npm install ./${folder}`)
  } catch (error) {
    console.error(reason(error))
    process.exit(1)
  }
}

/** GetOpenApi: the OpenAPI document, generated from the contracts that the pipeline checks. */
import { describeInterface } from '../lib/http/openapi.ts'
import { query } from '../lib/http/query.ts'
import { GetOpenApi } from '../lib/interface/service.ts'
import { settings } from '../lib/settings.ts'
import packageJson from '../package.json' with { type: 'json' }

let document: ReturnType<typeof describeInterface> | undefined

export const openapi = query(GetOpenApi, async () => {
  document ??= describeInterface({ version: packageJson.version, url: settings().PUBLIC_URL })
  return document
})

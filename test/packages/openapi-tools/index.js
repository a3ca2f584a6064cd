/** openapi-typescript and Redocly's linter. The first writes TypeScript by the compiler's API, which TypeScript 7 does not have. */
import { createConfig, lintFromString } from '@redocly/openapi-core'
import openapiTypescript, { astToString } from 'openapi-typescript'

export const typesOf = async (document) => astToString(await openapiTypescript(document))

export const lint = async (document, rules) => {
  const problems = await lintFromString({
    source: JSON.stringify(document),
    absoluteRef: '/openapi.json',
    config: await createConfig({ extends: ['minimal'], rules }),
  })
  return problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`)
}

/** Where a client's code finds openapi-fetch. */
export const fetchModule = import.meta.resolve('openapi-fetch')

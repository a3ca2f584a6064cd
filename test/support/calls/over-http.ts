/** Example calls of a service that runs elsewhere, over HTTP. */
import type { ApiClient } from '../api/client.ts'
import { sign, type TestIssuer } from '../api/tokens.ts'
import type { World } from '../api/world.ts'
import { contractOf } from '../source/operation-functions.ts'
import type { Caller } from '../stage/in-process-stage.ts'
import type { CallOperation } from './call-scene.ts'
import { claimsOfCaller } from './in-process.ts'
import { writePath } from './request-line.ts'

export const tokenOfCaller = (issuer: TestIssuer, caller: Caller): Promise<string> =>
  sign(issuer, claimsOfCaller(caller))

/** Some examples put records into the table: this process writes into that of the world. */
export const callOverHttp = (api: ApiClient, world: World): CallOperation => {
  const { tableName, dynamodbEndpoint, baseUrl } = world
  Object.assign(process.env, { TABLE_NAME: tableName, DYNAMODB_ENDPOINT: dynamodbEndpoint, PUBLIC_URL: baseUrl })
  return async (operationId, { path, query, body, headers, caller = {} }) => {
    const contract = contractOf(operationId)
    const search = query === undefined ? '' : `?${new URLSearchParams(query)}`
    const address = writePath(contract, path) + search
    // A form, unchanged.
    if (typeof body === 'string')
      return api.send({ method: contract.method, path: address, headers: headers ?? {}, body })
    return api.ask(contract.method, address, {
      token: await tokenOfCaller(world.issuers.eddsa, caller),
      ...(body !== undefined && { body }),
      ...(headers !== undefined && { headers }),
    })
  }
}

/** What another vendor's wallet fetches at the service's https address, which a stage in this process answers by its operations. */
import type { Contract } from '../../../lib/interface/contract.ts'
import { OPERATIONS } from '../../../lib/interface/operations.ts'
import { parametersOf } from '../calls/request-line.ts'
import { atHttps, HTTPS_URL } from '../stage/at-https.ts'
import type { InProcessStage } from '../stage/in-process-stage.ts'

const routed = (contract: Contract, pathname: string): Record<string, string> | undefined => {
  const pattern = contract.path.replaceAll('.', '\\.').replaceAll(/\{\w+\+?\}/g, '([^/]+)')
  const values = new RegExp(`^${pattern}$`).exec(pathname)?.slice(1)
  const names = parametersOf({ ...contract, tenantPath: contract.path }).map(({ name }) => name)
  return values && Object.fromEntries(names.map((name, index) => [name, decodeURIComponent(String(values[index]))]))
}

/** Operations that need no token of the API. Rejects for another host. */
export const fetchFrom =
  (stage: InProcessStage): typeof fetch =>
  async (input, init) => {
    const request = new Request(input, init)
    const { origin, pathname, searchParams } = new URL(request.url)
    if (origin !== HTTPS_URL) throw new Error(`no server answers at ${origin}`)
    for (const contract of OPERATIONS) {
      const path = contract.method === request.method && contract.security === 'none' && routed(contract, pathname)
      if (!path) continue
      const { operationId } = contract
      const operation = operationId.charAt(0).toLowerCase() + operationId.slice(1)
      const text = await request.text()
      const asked = { path, query: Object.fromEntries(searchParams), headers: Object.fromEntries(request.headers) }
      const { status, headers, body } = await atHttps(() =>
        stage.call(operation, { caller: {}, ...asked, ...(text !== '' && { body: text }) }),
      )
      const answer = typeof body === 'string' ? body : JSON.stringify(body)
      return new Response(status === 204 ? null : answer, { status, headers })
    }
    return new Response(null, { status: 404 })
  }

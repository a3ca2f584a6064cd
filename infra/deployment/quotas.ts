/** Reads the quotas of API Gateway and DynamoDB that a deployment may exceed. */
import { GetServiceQuotaCommand, NoSuchResourceException, ServiceQuotasClient } from '@aws-sdk/client-service-quotas'
import type { ClientConfig } from '../service.ts'
import { orNone } from './reading.ts'

/**
 * With AWS's defaults. https://docs.aws.amazon.com/general/latest/gr/apigateway.html
 * https://docs.aws.amazon.com/general/latest/gr/ddb.html
 */
const QUOTAS = {
  /** Resources (parts of paths) of one API. */
  apiResources: { ServiceCode: 'apigateway', QuotaCode: 'L-01C8A9E0', usual: 300 },
  /** Requests a second to all APIs in the region. */
  apiRate: { ServiceCode: 'apigateway', QuotaCode: 'L-8A5B8E43', usual: 10_000 },
  /** Write units a second of one table on demand, and of its index. */
  tableWrites: { ServiceCode: 'dynamodb', QuotaCode: 'L-AB614373', usual: 40_000 },
} as const

export type Quotas = Record<keyof typeof QUOTAS, number>

export const readQuotas = async (config: ClientConfig): Promise<Quotas> => {
  const client = new ServiceQuotasClient(config)
  const quotaOf = async ({ ServiceCode, QuotaCode, usual }: (typeof QUOTAS)[keyof Quotas]): Promise<number> => {
    // An account whose quota was never changed may have no entry.
    const answer = client.send(new GetServiceQuotaCommand({ ServiceCode, QuotaCode }))
    return (await orNone(NoSuchResourceException, answer))?.Quota?.Value ?? usual
  }
  const [apiResources, apiRate, tableWrites] = await Promise.all([
    quotaOf(QUOTAS.apiResources),
    quotaOf(QUOTAS.apiRate),
    quotaOf(QUOTAS.tableWrites),
  ])
  return { apiResources, apiRate, tableWrites }
}

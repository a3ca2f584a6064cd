/** The item of an agent's default issuer DID. */
import { defineItem } from '../../store/item.ts'
import { text } from '../../store/item-fields.ts'
import { address } from '../../store/keys.ts'

const issuerDidPartition = (tenant: string): string => `${tenant}|issuer-did`

export const issuerDidItem = defineItem(
  'issuer-did',
  ({ tenant }: { tenant: string }) => address(issuerDidPartition(tenant)),
  { did: text() },
  { tenant: ({ tenant }) => [issuerDidPartition(tenant)] },
)

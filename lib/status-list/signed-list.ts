/** The status lists of a removed tenant whose credentials stay verifiable: each is signed for the last time, and stored. */
import { defineItem } from '../store/item.ts'
import { inKey, text } from '../store/item-fields.ts'
import { address } from '../store/keys.ts'

/** Two issuers of a tenant may have named lists with the same id. */
const signedListsPartition = (tenant: string, issuerId: string): string => `${tenant}|signed-status-list|${issuerId}`

export const signedListItem = defineItem(
  'signed-status-list',
  ({ tenant, issuerId, listId }: { tenant: string; issuerId: string; listId: string }) =>
    address(signedListsPartition(tenant, issuerId), listId),
  { listId: inKey('sk', text()), jwt: text() },
  { OpenId4VcIssuerRecord: ({ tenant, id }) => [signedListsPartition(tenant, id)] },
)

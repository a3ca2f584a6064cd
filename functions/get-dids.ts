/** GetDids: lists the public DIDs of the token's agent. */
import { listOf } from '../lib/http/list-of.ts'
import { GetDids } from '../lib/interface/dids.ts'
import { didRecords } from '../lib/records/kinds.ts'

export const getDids = listOf(didRecords, GetDids)

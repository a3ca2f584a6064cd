/**
 * An Indy ledger in memory: accepts an operator's writes and answers reads, of now or of the past, as a pool of indy-node does.
 * https://hyperledger.github.io/indy-node: docs/source/requests.md, indy_node/server/revocation_strategy.py
 */

type Fields = Record<string, unknown>

/** An unsigned request: the ledger uses its author and operation. */
export interface WriteRequest {
  identifier: string
  operation: Fields
}

interface Transaction {
  seqNo: number
  /** Seconds since the epoch. */
  txnTime: number
  from: string
  type: string
  data: Fields
}

/** The accumulated state of a registry since a time: all indexes, not only those of its transaction. */
interface Accumulated {
  transaction: Transaction
  accum: string
  issued: number[]
  revoked: number[]
}

/** The pool's rejection of a request, with its reason. */
export class Rejected extends Error {}

const text = (value: unknown): string => {
  if (typeof value !== 'string') throw new Rejected(`client request invalid: ${JSON.stringify(value)} is no text`)
  return value
}
const fields = (value: unknown): Fields => {
  if (typeof value !== 'object' || value === null) throw new Rejected('client request invalid: no dict')
  return value as Fields
}
const numbers = (value: unknown): number[] => (Array.isArray(value) ? value.map(Number) : [])
const ascending = (indexes: Iterable<number>): number[] => [...indexes].toSorted((one, other) => one - other)

const FIRST_SEQUENCE_NUMBER = 10
const WRITES: Record<string, string> = { 101: 'SCHEMA', 102: 'CLAIM_DEF', 113: 'REVOC_REG_DEF', 114: 'REVOC_REG_ENTRY' }

export class IndyLedger {
  readonly #transactions: Transaction[] = []
  readonly #objects = new Map<string, Transaction>()
  readonly #registries = new Map<string, Accumulated[]>()

  /** Writes a schema, a definition, a registry or an entry of one, at a time (seconds since the epoch). Throws `Rejected` as the pool does. */
  write(
    { identifier, operation: { type, ...data } }: WriteRequest,
    txnTime = Math.floor(Date.now() / 1000),
  ): Transaction {
    const last = this.#transactions.at(-1)?.txnTime ?? 0
    const seqNo = FIRST_SEQUENCE_NUMBER + this.#transactions.length
    const transaction = {
      seqNo,
      txnTime: Math.max(last, txnTime),
      from: identifier,
      type: text(type),
      data: structuredClone(data),
    }
    if (WRITES[transaction.type] === undefined) throw new Rejected(`unknown type ${transaction.type}`)
    if (transaction.type === '114') this.#accumulate(transaction)
    else this.#add(this.#idOf(transaction), transaction)
    this.#transactions.push(transaction)
    return transaction
  }

  #add(id: string, transaction: Transaction): void {
    if (!id.startsWith(`${transaction.from}:`)) throw new Rejected('UnauthorizedClientRequest: not the owner')
    if (this.#objects.has(id)) throw new Rejected(`UnauthorizedClientRequest: ${id} is there`)
    this.#objects.set(id, transaction)
  }

  #idOf({ type, from, data }: Transaction): string {
    if (type === '101') return `${from}:2:${text(fields(data.data).name)}:${text(fields(data.data).version)}`
    if (type === '113') {
      if (!this.#objects.has(text(data.credDefId)))
        throw new Rejected(`There is no any CRED_DEF by path: ${data.credDefId}`)
      return text(data.id)
    }
    const schema = this.#transactions[Number(data.ref) - FIRST_SEQUENCE_NUMBER]
    if (schema?.type !== '101') throw new Rejected(`Mentioned seqNo (${data.ref}) isn't seqNo of the schema.`)
    return `${from}:3:${text(data.signature_type)}:${data.ref}:${text(data.tag)}`
  }

  #accumulate(transaction: Transaction): void {
    const id = text(transaction.data.revocRegDefId)
    const definition = this.#objects.get(id)
    if (definition === undefined) throw new Rejected(`There is no any REVOC_REG_DEF by path: ${id}`)
    if (definition.from !== transaction.from) throw new Rejected('UnauthorizedClientRequest: not the owner')
    const value = fields(transaction.data.value)
    const issued = numbers(value.issued)
    const revoked = numbers(value.revoked)
    if (issued.some((index) => revoked.includes(index)))
      throw new Rejected("Can not have an index in both 'issued' and 'revoked' lists")
    const history = this.#registries.get(id) ?? []
    const before = history.at(-1)
    if (before === undefined) {
      if (value.prevAccum !== undefined) throw new Rejected("Got 'prevAccum' but there is no previous REVOC_REG_ENTRY")
      this.#registries.set(id, [{ transaction, accum: text(value.accum), issued, revoked }])
      return
    }
    if (before.accum !== value.prevAccum)
      throw new Rejected('The current accumulator value must be equal to the last accumulator value')
    if (issued.length + revoked.length === 0) throw new Rejected("'issued' and 'revoked' lists are empty")
    // A registry with issuance by default keeps only revoked indexes, the other kind only issued ones.
    const byDefault = fields(definition.data.value).issuanceType === 'ISSUANCE_BY_DEFAULT'
    const [kept, added, removed] = byDefault ? [before.revoked, revoked, issued] : [before.issued, issued, revoked]
    if (added.some((index) => kept.includes(index))) throw new Rejected('indices from txn are already there')
    if (removed.some((index) => !kept.includes(index))) throw new Rejected('indices from txn are not present')
    const indexes = ascending(new Set([...kept.filter((index) => !removed.includes(index)), ...added]))
    const state = byDefault ? { issued: [], revoked: indexes } : { issued: indexes, revoked: [] }
    history.push({ transaction, accum: text(value.accum), ...state })
  }

  /** The reply to a read: the operation, and the data on the ledger. */
  read(request: WriteRequest & { reqId: number }): Fields {
    return structuredClone(this.#reply(request))
  }

  #reply(request: WriteRequest & { reqId: number }): Fields {
    const { operation, identifier, reqId } = request
    const reply = (found: { seqNo: number; txnTime: number } | undefined, data: unknown): Fields => ({
      ...operation,
      identifier,
      reqId,
      seqNo: found?.seqNo ?? null,
      txnTime: found?.txnTime ?? null,
      state_proof: { root_hash: '7Wdj3rrMCZ1R1M78H4xK5jxikmdUUGW2kbfJQ1HoEpK', proof_nodes: '+QHl+FGAgICg0he=' },
      data,
    })
    if (operation.type === '3') return this.#transaction(operation, { identifier, reqId })
    if (operation.type === '107') {
      const { name, version } = fields(operation.data)
      const found = this.#objects.get(`${operation.dest}:2:${name}:${version}`)
      // For an unknown one too: name and version are not stored.
      return reply(found, { ...(found === undefined ? {} : fields(found.data.data)), name, version })
    }
    if (operation.type === '108') {
      const { origin, signature_type, ref, tag } = operation
      const found = this.#objects.get(`${origin}:3:${signature_type}:${ref}:${tag}`)
      return reply(found, found?.data.data ?? null)
    }
    if (operation.type === '115') {
      const found = this.#objects.get(text(operation.id))
      return reply(found, found?.data ?? null)
    }
    if (operation.type === '116') {
      const found = this.#accumulatedAt(operation.revocRegDefId, operation.timestamp)
      return reply(found?.transaction, found === undefined ? null : this.#entry(found, { accum: found.accum }))
    }
    if (operation.type === '117') return this.#delta(operation, reply)
    throw new Rejected(`unknown type ${operation.type}`)
  }

  #accumulatedAt(id: unknown, time: unknown): Accumulated | undefined {
    return this.#registries.get(text(id))?.findLast(({ transaction }) => transaction.txnTime <= Number(time))
  }

  #entry({ transaction: { seqNo, txnTime, data } }: Accumulated, value: Fields): Fields {
    return { revocDefType: data.revocDefType, revocRegDefId: data.revocRegDefId, seqNo, txnTime, value }
  }

  #delta(operation: Fields, reply: (found: Transaction | undefined, data: unknown) => Fields): Fields {
    const { revocRegDefId, from } = operation
    const to = this.#accumulatedAt(revocRegDefId, operation.to)
    const since = from === undefined ? undefined : this.#accumulatedAt(revocRegDefId, from)
    const accumFrom = since === undefined ? null : this.#entry(since, { accum: since.accum })
    if (to === undefined)
      return reply(
        undefined,
        from === undefined ? null : { stateProofFrom: {}, value: { accum_to: null, accum_from: accumFrom } },
      )
    const all = { issued: to.issued, revoked: to.revoked }
    const lists = since === undefined ? all : this.#difference(to, since)
    const value = {
      accum_to: this.#entry(to, since === undefined ? { accum: to.accum, ...all } : { accum: to.accum }),
      ...lists,
    }
    const data = { revocRegDefId, revocDefType: 'CL_ACCUM', value }
    return reply(
      to.transaction,
      from === undefined ? data : { ...data, stateProofFrom: {}, value: { ...value, accum_from: accumFrom } },
    )
  }

  #difference(to: Accumulated, since: Accumulated): { issued: number[]; revoked: number[] } {
    const without = (one: number[], other: number[]) => one.filter((index) => !other.includes(index))
    const definition = this.#objects.get(text(to.transaction.data.revocRegDefId))
    return fields(definition?.data.value).issuanceType === 'ISSUANCE_BY_DEFAULT'
      ? { revoked: without(to.revoked, since.revoked), issued: without(since.revoked, to.revoked) }
      : { issued: without(to.issued, since.issued), revoked: without(since.issued, to.issued) }
  }

  #transaction(operation: Fields, of: { identifier: string; reqId: number }): Fields {
    const found =
      operation.ledgerId === 1 ? this.#transactions[Number(operation.data) - FIRST_SEQUENCE_NUMBER] : undefined
    if (found === undefined) return { type: '3', ...of, seqNo: null, data: null }
    return { type: '3', ...of, seqNo: found.seqNo, state_proof: {}, data: writtenReply(found) }
  }
}

/** A transaction as the ledger holds it. */
export const writtenReply = ({ seqNo, txnTime, from, type, data }: Transaction): Fields => ({
  ver: '1',
  txn: {
    type,
    protocolVersion: 2,
    data,
    metadata: { from, reqId: 1514280215504647, digest: '6cee', payloadDigest: '21f0' },
  },
  txnMetadata: { seqNo, txnTime, txnId: String(seqNo) },
  reqSignature: {},
  rootHash: '5vasvo2NUAD7Gq8RVxJZg1s9F7cBpuem1VgHKaFP8oBm',
  auditPath: [],
})

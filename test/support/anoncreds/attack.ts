/** A presentation that does not prove what was asked for. */
import type { Json } from '../stage/in-process-stage.ts'
import type { Asked } from './holder.ts'

export interface Attack {
  name: string
  /** What the verifier asks for. */
  asked: Asked
  answer(request: Json): Json
  /** What the verifier says of it. */
  says: string
  /** Whether the library alone calls it verified. */
  passesLibrary: boolean
}

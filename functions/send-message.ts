/** SendMessage: the basic message and its way to the wallet, committed together before the answer. */
import { sendBasicMessage } from '../lib/agent/basic-messages.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { transactional } from '../lib/http/transactional.ts'
import { SendMessage } from '../lib/interface/basic-messages.ts'

export const sendMessage = defineOperation(
  SendMessage,
  transactional(({ path, body }) => sendBasicMessage(path.connectionId, body.content)),
)

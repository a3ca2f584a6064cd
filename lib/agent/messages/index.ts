/** Basic messages (Aries RFC 0095), questions and answers (Aries RFC 0113). */
export { sendBasicMessage } from './basic-messages.ts'
export { sendAnswer, sendQuestion } from './question-answer.ts'
export { AgentQuestionAnswerService } from './question-answer-service.ts'
export { answerViolation, findQuestions, questionViolation } from './received-question.ts'

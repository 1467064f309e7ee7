import { listToolCalls } from './list-tool-calls.ts';

export const toolCallOperations = [listToolCalls];

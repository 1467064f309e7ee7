import { listCategories } from './list-categories.ts';
import { listExchanges } from './list-exchanges.ts';
import { searchDirectoryChannels, searchDirectoryCreators } from './search-directory.ts';

export const directoryOperations = [searchDirectoryChannels, searchDirectoryCreators, listCategories, listExchanges];

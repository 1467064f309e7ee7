-- What channels are found by was kept with letters that a search now reads as plain ones (kernel/folded.ts).
update channels set search =
  replace(replace(replace(replace(
    translate(search::text, 'łøđðħŧı', 'loddhti'), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th')::tsvector
  where search::text ~ '[łøđðħŧıßæœþ]';

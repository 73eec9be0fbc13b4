// SPDX-License-Identifier: Apache-2.0

/// Sample data: number, title, author, year of first publication.
///
/// The titles are real and in the public domain. Their numbers are made up, with valid check
/// digits, below 979-9, which is no publisher's; but for the first, which is a real edition.
enum CatalogData {
  static let lines = """
    9780141439518|Pride and Prejudice|Jane Austen|1813
    9799000000011|Sense and Sensibility|Jane Austen|1811
    9799000000028|Mansfield Park|Jane Austen|1814
    9799000000035|Emma|Jane Austen|1815
    9799000000042|Northanger Abbey|Jane Austen|1817
    9799000000059|Persuasion|Jane Austen|1817
    9799000000066|Jane Eyre|Charlotte Brontë|1847
    9799000000073|Shirley|Charlotte Brontë|1849
    9799000000080|Villette|Charlotte Brontë|1853
    9799000000097|Wuthering Heights|Emily Brontë|1847
    9799000000103|Agnes Grey|Anne Brontë|1847
    9799000000110|The Tenant of Wildfell Hall|Anne Brontë|1848
    9799000000127|The Pickwick Papers|Charles Dickens|1836
    9799000000134|Oliver Twist|Charles Dickens|1837
    9799000000141|Nicholas Nickleby|Charles Dickens|1838
    9799000000158|The Old Curiosity Shop|Charles Dickens|1840
    9799000000165|Barnaby Rudge|Charles Dickens|1841
    9799000000172|A Christmas Carol|Charles Dickens|1843
    9799000000189|Martin Chuzzlewit|Charles Dickens|1843
    9799000000196|Dombey and Son|Charles Dickens|1846
    9799000000202|David Copperfield|Charles Dickens|1849
    9799000000219|Bleak House|Charles Dickens|1852
    9799000000226|Hard Times|Charles Dickens|1854
    9799000000233|Little Dorrit|Charles Dickens|1855
    9799000000240|A Tale of Two Cities|Charles Dickens|1859
    9799000000257|Great Expectations|Charles Dickens|1860
    9799000000264|Our Mutual Friend|Charles Dickens|1864
    9799000000271|Adam Bede|George Eliot|1859
    9799000000288|The Mill on the Floss|George Eliot|1860
    9799000000295|Silas Marner|George Eliot|1861
    9799000000301|Romola|George Eliot|1862
    9799000000318|Middlemarch|George Eliot|1871
    9799000000325|Daniel Deronda|George Eliot|1876
    9799000000332|Vanity Fair|William Makepeace Thackeray|1847
    9799000000349|The Luck of Barry Lyndon|William Makepeace Thackeray|1844
    9799000000356|The Warden|Anthony Trollope|1855
    9799000000363|Barchester Towers|Anthony Trollope|1857
    9799000000370|Doctor Thorne|Anthony Trollope|1858
    9799000000387|Phineas Finn|Anthony Trollope|1867
    9799000000394|The Way We Live Now|Anthony Trollope|1875
    9799000000400|Mary Barton|Elizabeth Gaskell|1848
    9799000000417|Cranford|Elizabeth Gaskell|1851
    9799000000424|North and South|Elizabeth Gaskell|1854
    9799000000431|Wives and Daughters|Elizabeth Gaskell|1864
    9799000000448|The Woman in White|Wilkie Collins|1859
    9799000000455|No Name|Wilkie Collins|1862
    9799000000462|Armadale|Wilkie Collins|1864
    9799000000479|The Moonstone|Wilkie Collins|1868
    9799000000486|Far from the Madding Crowd|Thomas Hardy|1874
    9799000000493|The Return of the Native|Thomas Hardy|1878
    9799000000509|The Mayor of Casterbridge|Thomas Hardy|1886
    9799000000516|The Woodlanders|Thomas Hardy|1887
    9799000000523|Tess of the d'Urbervilles|Thomas Hardy|1891
    9799000000530|Jude the Obscure|Thomas Hardy|1895
    9799000000547|The Egoist|George Meredith|1879
    9799000000554|New Grub Street|George Gissing|1891
    9799000000561|The Odd Women|George Gissing|1893
    9799000000578|Erewhon|Samuel Butler|1872
    9799000000585|The Way of All Flesh|Samuel Butler|1903
    9799000000592|Treasure Island|Robert Louis Stevenson|1883
    9799000000608|Kidnapped|Robert Louis Stevenson|1886
    9799000000615|Strange Case of Dr Jekyll and Mr Hyde|Robert Louis Stevenson|1886
    9799000000622|The Black Arrow|Robert Louis Stevenson|1888
    9799000000639|The Master of Ballantrae|Robert Louis Stevenson|1889
    9799000000646|The Picture of Dorian Gray|Oscar Wilde|1890
    9799000000653|The Happy Prince and Other Tales|Oscar Wilde|1888
    9799000000660|The Importance of Being Earnest|Oscar Wilde|1895
    9799000000677|Dracula|Bram Stoker|1897
    9799000000684|Carmilla|Joseph Sheridan Le Fanu|1872
    9799000000691|Uncle Silas|Joseph Sheridan Le Fanu|1864
    9799000000707|Frankenstein|Mary Shelley|1818
    9799000000714|The Last Man|Mary Shelley|1826
    9799000000721|The Castle of Otranto|Horace Walpole|1764
    9799000000738|The Mysteries of Udolpho|Ann Radcliffe|1794
    9799000000745|The Monk|Matthew Gregory Lewis|1796
    9799000000752|Vathek|William Beckford|1786
    9799000000769|Melmoth the Wanderer|Charles Maturin|1820
    9799000000776|Waverley|Walter Scott|1814
    9799000000783|Rob Roy|Walter Scott|1817
    9799000000790|Ivanhoe|Walter Scott|1819
    9799000000806|Kenilworth|Walter Scott|1821
    9799000000813|Robinson Crusoe|Daniel Defoe|1719
    9799000000820|Moll Flanders|Daniel Defoe|1722
    9799000000837|A Journal of the Plague Year|Daniel Defoe|1722
    9799000000844|Gulliver's Travels|Jonathan Swift|1726
    9799000000851|A Modest Proposal|Jonathan Swift|1729
    9799000000868|Pamela|Samuel Richardson|1740
    9799000000875|Clarissa|Samuel Richardson|1748
    9799000000882|Joseph Andrews|Henry Fielding|1742
    9799000000899|Tom Jones|Henry Fielding|1749
    9799000000905|Tristram Shandy|Laurence Sterne|1759
    9799000000912|A Sentimental Journey|Laurence Sterne|1768
    9799000000929|Roderick Random|Tobias Smollett|1748
    9799000000936|Humphry Clinker|Tobias Smollett|1771
    9799000000943|The Vicar of Wakefield|Oliver Goldsmith|1766
    9799000000950|Evelina|Fanny Burney|1778
    9799000000967|Cecilia|Fanny Burney|1782
    9799000000974|Castle Rackrent|Maria Edgeworth|1800
    9799000000981|Oroonoko|Aphra Behn|1688
    9799000000998|The Pilgrim's Progress|John Bunyan|1678
    9799000001001|Paradise Lost|John Milton|1667
    9799000001018|The Canterbury Tales|Geoffrey Chaucer|1400
    9799000001025|Le Morte d'Arthur|Thomas Malory|1485
    9799000001032|Utopia|Thomas More|1516
    9799000001049|Doctor Faustus|Christopher Marlowe|1604
    9799000001056|The Faerie Queene|Edmund Spenser|1590
    9799000001063|Romeo and Juliet|William Shakespeare|1597
    9799000001070|A Midsummer Night's Dream|William Shakespeare|1600
    9799000001087|The Merchant of Venice|William Shakespeare|1600
    9799000001094|Much Ado About Nothing|William Shakespeare|1600
    9799000001100|Henry V|William Shakespeare|1600
    9799000001117|Hamlet|William Shakespeare|1603
    9799000001124|King Lear|William Shakespeare|1608
    9799000001131|Shakespeare's Sonnets|William Shakespeare|1609
    9799000001148|Othello|William Shakespeare|1622
    9799000001155|Julius Caesar|William Shakespeare|1623
    9799000001162|As You Like It|William Shakespeare|1623
    9799000001179|Twelfth Night|William Shakespeare|1623
    9799000001186|Macbeth|William Shakespeare|1623
    9799000001193|Antony and Cleopatra|William Shakespeare|1623
    9799000001209|The Tempest|William Shakespeare|1623
    9799000001216|Volpone|Ben Jonson|1607
    9799000001223|The Duchess of Malfi|John Webster|1623
    9799000001230|The School for Scandal|Richard Brinsley Sheridan|1777
    9799000001247|Songs of Innocence and of Experience|William Blake|1794
    9799000001254|Lyrical Ballads|William Wordsworth and Samuel Taylor Coleridge|1798
    9799000001261|Don Juan|Lord Byron|1819
    9799000001278|Prometheus Unbound|Percy Bysshe Shelley|1820
    9799000001285|Confessions of an English Opium-Eater|Thomas De Quincey|1821
    9799000001292|Sartor Resartus|Thomas Carlyle|1833
    9799000001308|On Liberty|John Stuart Mill|1859
    9799000001315|The Origin of Species|Charles Darwin|1859
    9799000001322|The Voyage of the Beagle|Charles Darwin|1839
    9799000001339|The Wealth of Nations|Adam Smith|1776
    9799000001346|A Treatise of Human Nature|David Hume|1739
    9799000001353|Leviathan|Thomas Hobbes|1651
    9799000001360|Two Treatises of Government|John Locke|1689
    9799000001377|A Vindication of the Rights of Woman|Mary Wollstonecraft|1792
    9799000001384|Alice's Adventures in Wonderland|Lewis Carroll|1865
    9799000001391|Through the Looking-Glass|Lewis Carroll|1871
    9799000001407|The Hunting of the Snark|Lewis Carroll|1876
    9799000001414|The Water-Babies|Charles Kingsley|1863
    9799000001421|The Princess and the Goblin|George MacDonald|1872
    9799000001438|Phantastes|George MacDonald|1858
    9799000001445|Black Beauty|Anna Sewell|1877
    9799000001452|King Solomon's Mines|H. Rider Haggard|1885
    9799000001469|She|H. Rider Haggard|1887
    9799000001476|Three Men in a Boat|Jerome K. Jerome|1889
    9799000001483|The Diary of a Nobody|George and Weedon Grossmith|1892
    9799000001490|The Prisoner of Zenda|Anthony Hope|1894
    9799000001506|A Study in Scarlet|Arthur Conan Doyle|1887
    9799000001513|The Sign of the Four|Arthur Conan Doyle|1890
    9799000001520|The Adventures of Sherlock Holmes|Arthur Conan Doyle|1892
    9799000001537|The Memoirs of Sherlock Holmes|Arthur Conan Doyle|1893
    9799000001544|The Hound of the Baskervilles|Arthur Conan Doyle|1902
    9799000001551|The Lost World|Arthur Conan Doyle|1912
    9799000001568|The Time Machine|H. G. Wells|1895
    9799000001575|The Island of Doctor Moreau|H. G. Wells|1896
    9799000001582|The Invisible Man|H. G. Wells|1897
    9799000001599|The War of the Worlds|H. G. Wells|1898
    9799000001605|The First Men in the Moon|H. G. Wells|1901
    9799000001612|Kipps|H. G. Wells|1905
    9799000001629|The Jungle Book|Rudyard Kipling|1894
    9799000001636|The Second Jungle Book|Rudyard Kipling|1895
    9799000001643|Captains Courageous|Rudyard Kipling|1897
    9799000001650|Kim|Rudyard Kipling|1901
    9799000001667|Just So Stories|Rudyard Kipling|1902
    9799000001674|Heart of Darkness|Joseph Conrad|1899
    9799000001681|Lord Jim|Joseph Conrad|1900
    9799000001698|Nostromo|Joseph Conrad|1904
    9799000001704|The Secret Agent|Joseph Conrad|1907
    9799000001711|Under Western Eyes|Joseph Conrad|1911
    9799000001728|The Railway Children|E. Nesbit|1906
    9799000001735|Five Children and It|E. Nesbit|1902
    9799000001742|The Tale of Peter Rabbit|Beatrix Potter|1902
    9799000001759|Peter and Wendy|J. M. Barrie|1911
    9799000001766|The Wind in the Willows|Kenneth Grahame|1908
    9799000001773|A Room with a View|E. M. Forster|1908
    9799000001780|Howards End|E. M. Forster|1910
    9799000001797|The Old Wives' Tale|Arnold Bennett|1908
    9799000001803|The Man of Property|John Galsworthy|1906
    9799000001810|The Good Soldier|Ford Madox Ford|1915
    9799000001827|Sons and Lovers|D. H. Lawrence|1913
    9799000001834|The Rainbow|D. H. Lawrence|1915
    9799000001841|Women in Love|D. H. Lawrence|1920
    9799000001858|Dubliners|James Joyce|1914
    9799000001865|A Portrait of the Artist as a Young Man|James Joyce|1916
    9799000001872|Ulysses|James Joyce|1922
    9799000001889|The Voyage Out|Virginia Woolf|1915
    9799000001896|Night and Day|Virginia Woolf|1919
    9799000001902|Jacob's Room|Virginia Woolf|1922
    9799000001919|Mrs Dalloway|Virginia Woolf|1925
    9799000001926|The Innocence of Father Brown|G. K. Chesterton|1911
    9799000001933|The Man Who Was Thursday|G. K. Chesterton|1908
    9799000001940|The Thirty-Nine Steps|John Buchan|1915
    9799000001957|The Riddle of the Sands|Erskine Childers|1903
    9799000001964|My Man Jeeves|P. G. Wodehouse|1919
    9799000001971|The Mysterious Affair at Styles|Agatha Christie|1920
    9799000001988|The Forsyte Saga|John Galsworthy|1922
    9799000001995|Pygmalion|George Bernard Shaw|1913
    9799000002008|Man and Superman|George Bernard Shaw|1903
    9799000002015|The Last of the Mohicans|James Fenimore Cooper|1826
    9799000002022|The Deerslayer|James Fenimore Cooper|1841
    9799000002039|The Sketch Book|Washington Irving|1819
    9799000002046|The Scarlet Letter|Nathaniel Hawthorne|1850
    9799000002053|The House of the Seven Gables|Nathaniel Hawthorne|1851
    9799000002060|The Blithedale Romance|Nathaniel Hawthorne|1852
    9799000002077|Typee|Herman Melville|1846
    9799000002084|Moby-Dick|Herman Melville|1851
    9799000002091|Bartleby, the Scrivener|Herman Melville|1853
    9799000002107|The Narrative of Arthur Gordon Pym|Edgar Allan Poe|1838
    9799000002114|Tales of the Grotesque and Arabesque|Edgar Allan Poe|1840
    9799000002121|Walden|Henry David Thoreau|1854
    9799000002138|Essays|Ralph Waldo Emerson|1841
    9799000002145|Leaves of Grass|Walt Whitman|1855
    9799000002152|Uncle Tom's Cabin|Harriet Beecher Stowe|1852
    9799000002169|Narrative of the Life of Frederick Douglass|Frederick Douglass|1845
    9799000002176|Twelve Years a Slave|Solomon Northup|1853
    9799000002183|Incidents in the Life of a Slave Girl|Harriet Jacobs|1861
    9799000002190|Little Women|Louisa May Alcott|1868
    9799000002206|Little Men|Louisa May Alcott|1871
    9799000002213|Ragged Dick|Horatio Alger|1868
    9799000002220|The Innocents Abroad|Mark Twain|1869
    9799000002237|The Adventures of Tom Sawyer|Mark Twain|1876
    9799000002244|The Prince and the Pauper|Mark Twain|1881
    9799000002251|Adventures of Huckleberry Finn|Mark Twain|1884
    9799000002268|A Connecticut Yankee in King Arthur's Court|Mark Twain|1889
    9799000002275|Pudd'nhead Wilson|Mark Twain|1894
    9799000002282|Ben-Hur|Lew Wallace|1880
    9799000002299|The American|Henry James|1877
    9799000002305|Daisy Miller|Henry James|1878
    9799000002312|Washington Square|Henry James|1880
    9799000002329|The Portrait of a Lady|Henry James|1881
    9799000002336|The Bostonians|Henry James|1886
    9799000002343|The Aspern Papers|Henry James|1888
    9799000002350|What Maisie Knew|Henry James|1897
    9799000002367|The Turn of the Screw|Henry James|1898
    9799000002374|The Wings of the Dove|Henry James|1902
    9799000002381|The Ambassadors|Henry James|1903
    9799000002398|The Golden Bowl|Henry James|1904
    9799000002404|The Rise of Silas Lapham|William Dean Howells|1885
    9799000002411|Looking Backward|Edward Bellamy|1888
    9799000002428|The Red Badge of Courage|Stephen Crane|1895
    9799000002435|Maggie: A Girl of the Streets|Stephen Crane|1893
    9799000002442|McTeague|Frank Norris|1899
    9799000002459|The Awakening|Kate Chopin|1899
    9799000002466|The Country of the Pointed Firs|Sarah Orne Jewett|1896
    9799000002473|Sister Carrie|Theodore Dreiser|1900
    9799000002480|The Call of the Wild|Jack London|1903
    9799000002497|The Sea-Wolf|Jack London|1904
    9799000002503|White Fang|Jack London|1906
    9799000002510|Martin Eden|Jack London|1909
    9799000002527|The Wonderful Wizard of Oz|L. Frank Baum|1900
    9799000002534|The Marvelous Land of Oz|L. Frank Baum|1904
    9799000002541|The Souls of Black Folk|W. E. B. Du Bois|1903
    9799000002558|Up from Slavery|Booker T. Washington|1901
    9799000002565|The House of Mirth|Edith Wharton|1905
    9799000002572|Ethan Frome|Edith Wharton|1911
    9799000002589|The Custom of the Country|Edith Wharton|1913
    9799000002596|The Age of Innocence|Edith Wharton|1920
    9799000002602|The Jungle|Upton Sinclair|1906
    9799000002619|Anne of Green Gables|L. M. Montgomery|1908
    9799000002626|Anne of Avonlea|L. M. Montgomery|1909
    9799000002633|The Secret Garden|Frances Hodgson Burnett|1911
    9799000002640|A Little Princess|Frances Hodgson Burnett|1905
    9799000002657|Pollyanna|Eleanor H. Porter|1913
    9799000002664|O Pioneers!|Willa Cather|1913
    9799000002671|The Song of the Lark|Willa Cather|1915
    9799000002688|My Ántonia|Willa Cather|1918
    9799000002695|Tarzan of the Apes|Edgar Rice Burroughs|1912
    9799000002701|A Princess of Mars|Edgar Rice Burroughs|1912
    9799000002718|Winesburg, Ohio|Sherwood Anderson|1919
    9799000002725|Main Street|Sinclair Lewis|1920
    9799000002732|Babbitt|Sinclair Lewis|1922
    9799000002749|This Side of Paradise|F. Scott Fitzgerald|1920
    9799000002756|The Great Gatsby|F. Scott Fitzgerald|1925
    9799000002763|The Yellow Wallpaper|Charlotte Perkins Gilman|1892
    9799000002770|Herland|Charlotte Perkins Gilman|1915
    9799000002787|Don Quixote|Miguel de Cervantes|1605
    9799000002794|Lazarillo de Tormes|Anonymous|1554
    9799000002800|Gargantua and Pantagruel|François Rabelais|1532
    9799000002817|Essays|Michel de Montaigne|1580
    9799000002824|Tartuffe|Molière|1664
    9799000002831|The Misanthrope|Molière|1666
    9799000002848|Phèdre|Jean Racine|1677
    9799000002855|Pensées|Blaise Pascal|1670
    9799000002862|The Princess of Clèves|Madame de La Fayette|1678
    9799000002879|Candide|Voltaire|1759
    9799000002886|Zadig|Voltaire|1747
    9799000002893|Julie, or the New Heloise|Jean-Jacques Rousseau|1761
    9799000002909|Confessions|Jean-Jacques Rousseau|1782
    9799000002916|Dangerous Liaisons|Pierre Choderlos de Laclos|1782
    9799000002923|The Red and the Black|Stendhal|1830
    9799000002930|The Charterhouse of Parma|Stendhal|1839
    9799000002947|Eugénie Grandet|Honoré de Balzac|1833
    9799000002954|Father Goriot|Honoré de Balzac|1835
    9799000002961|Lost Illusions|Honoré de Balzac|1837
    9799000002978|The Hunchback of Notre-Dame|Victor Hugo|1831
    9799000002985|Les Misérables|Victor Hugo|1862
    9799000002992|The Three Musketeers|Alexandre Dumas|1844
    9799000003005|The Count of Monte Cristo|Alexandre Dumas|1844
    9799000003012|Twenty Years After|Alexandre Dumas|1845
    9799000003029|Madame Bovary|Gustave Flaubert|1856
    9799000003036|Sentimental Education|Gustave Flaubert|1869
    9799000003043|The Flowers of Evil|Charles Baudelaire|1857
    9799000003050|Thérèse Raquin|Émile Zola|1867
    9799000003067|Nana|Émile Zola|1880
    9799000003074|Germinal|Émile Zola|1885
    9799000003081|Bel-Ami|Guy de Maupassant|1885
    9799000003098|Journey to the Centre of the Earth|Jules Verne|1864
    9799000003104|Twenty Thousand Leagues Under the Seas|Jules Verne|1870
    9799000003111|Around the World in Eighty Days|Jules Verne|1872
    9799000003128|The Mysterious Island|Jules Verne|1875
    9799000003135|The Phantom of the Opera|Gaston Leroux|1909
    9799000003142|Swann's Way|Marcel Proust|1913
    9799000003159|The Sorrows of Young Werther|Johann Wolfgang von Goethe|1774
    9799000003166|Faust|Johann Wolfgang von Goethe|1808
    9799000003173|The Robbers|Friedrich Schiller|1781
    9799000003180|Children's and Household Tales|Jacob and Wilhelm Grimm|1812
    9799000003197|Buddenbrooks|Thomas Mann|1901
    9799000003203|Death in Venice|Thomas Mann|1912
    9799000003210|The Metamorphosis|Franz Kafka|1915
    9799000003227|The Trial|Franz Kafka|1925
    9799000003234|Thus Spoke Zarathustra|Friedrich Nietzsche|1883
    9799000003241|Beyond Good and Evil|Friedrich Nietzsche|1886
    9799000003258|Fairy Tales Told for Children|Hans Christian Andersen|1835
    9799000003265|A Doll's House|Henrik Ibsen|1879
    9799000003272|Peer Gynt|Henrik Ibsen|1867
    9799000003289|Hunger|Knut Hamsun|1890
    9799000003296|Miss Julie|August Strindberg|1888
    9799000003302|Eugene Onegin|Alexander Pushkin|1833
    9799000003319|Dead Souls|Nikolai Gogol|1842
    9799000003326|A Hero of Our Time|Mikhail Lermontov|1840
    9799000003333|Oblomov|Ivan Goncharov|1859
    9799000003340|Fathers and Sons|Ivan Turgenev|1862
    9799000003357|Notes from Underground|Fyodor Dostoevsky|1864
    9799000003364|Crime and Punishment|Fyodor Dostoevsky|1866
    9799000003371|The Idiot|Fyodor Dostoevsky|1868
    9799000003388|Demons|Fyodor Dostoevsky|1871
    9799000003395|The Brothers Karamazov|Fyodor Dostoevsky|1879
    9799000003401|War and Peace|Leo Tolstoy|1867
    9799000003418|Anna Karenina|Leo Tolstoy|1875
    9799000003425|The Death of Ivan Ilyich|Leo Tolstoy|1886
    9799000003432|Resurrection|Leo Tolstoy|1899
    9799000003449|Uncle Vanya|Anton Chekhov|1897
    9799000003456|The Cherry Orchard|Anton Chekhov|1904
    9799000003463|The Divine Comedy|Dante Alighieri|1321
    9799000003470|The Decameron|Giovanni Boccaccio|1353
    9799000003487|The Prince|Niccolò Machiavelli|1532
    9799000003494|The Betrothed|Alessandro Manzoni|1827
    9799000003500|The Adventures of Pinocchio|Carlo Collodi|1883
    9799000003517|Heidi|Johanna Spyri|1881
    """
}

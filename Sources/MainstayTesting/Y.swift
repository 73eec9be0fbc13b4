import Mainstay
public enum Y {}
